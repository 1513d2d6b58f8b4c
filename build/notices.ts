/**
 * Writes out/THIRD-PARTY-NOTICES.txt: the licences of everything in the package that others wrote. Run after the
 * build, before packaging. Electron and Chromium bring their own files.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const root = fileURLToPath(new URL("..", import.meta.url));
const inRoot = (...path: string[]): string => join(root, ...path);

interface Notice {
  readonly name: string;
  readonly version: string;
  /** SPDX identifier, or what the package says instead. */
  readonly licence: string;
  readonly text: string;
}

const bundledSchema = z.array(
  z.object({ name: z.string(), version: z.string(), identifier: z.string().nullish(), text: z.string().nullish() }),
);
const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ dev: z.boolean().optional(), devOptional: z.boolean().optional() })),
});
const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().optional(),
  author: z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)]).optional(),
});

function readJson<Schema extends z.ZodType>(path: string, schema: Schema): z.infer<Schema> {
  return schema.parse(JSON.parse(readFileSync(path, "utf8")));
}

/** Licence files of a package's folder, joined. Some have none and only name their licence. */
function packageNotice(folder: string): Notice {
  const { name, version, license, author } = readJson(join(folder, "package.json"), manifestSchema);
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
  const licence = license ?? "see below";
  const text = texts.length > 0 ? texts.join("\n\n") : `Licensed under ${licence}${author ? `, by ${author}` : ""}.`;
  return { name, version, licence, text };
}

/** Packages beside the bundle: everything the lock file does not count as for development, as far as it is installed. */
function shippedPackages(): Notice[] {
  const { packages } = readJson(inRoot("package-lock.json"), lockSchema);
  return Object.entries(packages)
    .filter(([folder, { dev, devOptional }]) => folder !== "" && dev !== true && devOptional !== true)
    .filter(([folder]) => existsSync(inRoot(folder, "package.json")))
    .map(([folder]) => packageNotice(inRoot(folder)));
}

/** Packages inside the bundle, as the build listed them. */
function bundledPackages(): Notice[] {
  return ["main", "preload", "renderer"].flatMap((section) =>
    readJson(inRoot("out", section, "licenses.json"), bundledSchema).map(({ name, version, identifier, text }) => ({
      name,
      version,
      licence: identifier ?? "see below",
      text: text?.trim() ?? `Licensed under ${identifier ?? "terms the package does not name"}.`,
    })),
  );
}

/** What is compiled into the engine's libraries: llama.cpp and what it carries, from the sources the package holds. */
function llamaNotices(): Notice[] {
  const clone = mkdtempSync(join(tmpdir(), "reprise-llama-"));
  const git = (...parameters: string[]): string =>
    execFileSync("git", ["-C", clone, ...parameters], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  try {
    git(
      "clone",
      "--quiet",
      "--bare",
      "--depth",
      "1",
      inRoot("node_modules/node-llama-cpp/llama/gitRelease.bundle"),
      ".",
    );
    const version = git("rev-parse", "--short", "HEAD").trim();
    return git("ls-tree", "-r", "--name-only", "HEAD")
      .split("\n")
      .filter((path) => /^(licenses\/|vendor\/.*)?LICENSE[^/]*$/.test(path))
      .map((path) => ({
        name: `llama.cpp ${path}`,
        version,
        licence: "see below",
        text: git("show", `HEAD:${path}`).trim(),
      }));
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
}

/** Not in the package: Reprise fetches it when it first starts. */
function modelNotice(): Notice {
  const text = readFileSync(inRoot("build/licences/Apache-2.0.txt"), "utf8").trim();
  return {
    name: "SmolLM2-135M-Instruct (default model, fetched separately)",
    version: "Q4_1",
    licence: "Apache-2.0",
    text,
  };
}

function render(notices: readonly Notice[]): string {
  const unique = new Map(notices.map((notice) => [`${notice.name} ${notice.version}`, notice]));
  const sorted = [...unique.values()].sort((a, b) => a.name.localeCompare(b.name, "en"));
  const rule = "-".repeat(80);
  const sections = sorted.map(
    ({ name, version, licence, text }) => `${rule}\n${name} ${version} (${licence})\n\n${text}\n`,
  );
  return ["Reprise contains software by others, under these licences.\n", ...sections].join("\n");
}

const tailwind = packageNotice(inRoot("node_modules/tailwindcss"));
const notices = [...shippedPackages(), ...bundledPackages(), tailwind, ...llamaNotices(), modelNotice()];
writeFileSync(inRoot("out", "THIRD-PARTY-NOTICES.txt"), render(notices));
