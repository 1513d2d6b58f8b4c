import { fileURLToPath } from "node:url";
import type { CompilerOptions } from "@inlang/paraglide-js";

const renderer = fileURLToPath(new URL("../src-renderer/", import.meta.url));

/** How messages are compiled: one module a locale, and the page itself says which locale is on, without a reload. */
export const paraglideOptions: CompilerOptions = {
  project: `${renderer}project.inlang`,
  outdir: `${renderer}paraglide`,
  strategy: ["globalVariable", "baseLocale"],
  outputStructure: "locale-modules",
  emitReadme: false,
};
