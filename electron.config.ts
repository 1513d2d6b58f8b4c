import { fileURLToPath } from "node:url";
import { paraglideVitePlugin } from "@inlang/paraglide-js";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "electron-vite";
import type { BuildEnvironmentOptions, Plugin } from "vite";
import { paraglideOptions } from "./.config/paraglide-options.ts";

const root = fileURLToPath(new URL(".", import.meta.url));
const inRoot = (path: string): string => `${root}${path}`;

/** Electron 45 carries Node 24; electron-vite's own table of versions ends before it. */
const node = "node24";

/** Every bundled package with its licence, for build/notices.ts. */
const license = { fileName: "licenses.json" };

type OnLog = NonNullable<NonNullable<BuildEnvironmentOptions["rolldownOptions"]>["onLog"]>;

/** A message that is used but not defined builds and then shows as nothing: that must fail here instead. */
const failOnMissingImport: OnLog = (level, log, handle) => {
  if (log.code === "IMPORT_IS_UNDEFINED") throw new Error(log.message);
  handle(level, log);
};

/** Vite's development server writes styles into the page, which the page's policy rightly forbids. */
const withoutPolicyInDevelopment: Plugin = {
  name: "without-policy-in-development",
  apply: "serve",
  transformIndexHtml: (html) => html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ""),
};

export default defineConfig({
  main: {
    build: {
      target: node,
      outDir: inRoot("out/main"),
      emptyOutDir: true,
      license,
      // The dependencies stay packages beside the bundle: natives must, and the others then appear once in the app.
      externalizeDeps: { include: ["lifecycle-utils"] },
      rolldownOptions: {
        input: {
          desktop: inRoot("src-main/desktop/main.ts"),
          engine: inRoot("src-main/engine/entry.ts"),
          quantizer: inRoot("src-main/quantize/entry.ts"),
          "model-reader": inRoot("src-main/models/reader-worker.ts"),
          reprise: inRoot("src-main/headless/reprise.ts"),
        },
        output: { format: "es", entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" },
      },
    },
  },
  preload: {
    build: {
      target: node,
      outDir: inRoot("out/preload"),
      emptyOutDir: true,
      license,
      // A sandboxed preload can load nothing beside itself.
      externalizeDeps: false,
      isolatedEntries: true,
      rolldownOptions: {
        input: { preload: inRoot("src-main/desktop/preload.ts") },
        output: { format: "cjs", entryFileNames: "[name].cjs" },
      },
    },
  },
  renderer: {
    root: inRoot("src-renderer"),
    plugins: [
      paraglideVitePlugin(paraglideOptions),
      tailwindcss(),
      svelte({ configFile: inRoot("src-renderer/svelte.config.js") }),
      withoutPolicyInDevelopment,
    ],
    build: {
      // Not only for Electron's Chromium: the headless host serves the same files to the user's own browser.
      target: "es2023",
      cssTarget: ["chrome123", "firefox128", "safari17.5"],
      outDir: inRoot("out/renderer"),
      emptyOutDir: true,
      minify: true,
      // The files come from this machine's disk; a second request would cost more than a larger one.
      chunkSizeWarningLimit: 2_000,
      license,
      rolldownOptions: {
        input: inRoot("src-renderer/index.html"),
        onLog: failOnMissingImport,
        checks: { bundlerTimings: false },
      },
    },
  },
});
