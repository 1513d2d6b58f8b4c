import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire, findPackageJSON, isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { extractAll, listPackage } from "@electron/asar";
import { FuseState, FuseV1Options, getCurrentFuseWire } from "@electron/fuses";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EngineSupervisor } from "../../src-main/engine-host/engine-supervisor.ts";
import { forkEngine } from "../../src-main/engine-host/fork-engine.ts";
import { Quantizer } from "../../src-main/engine-host/quantizer.ts";
import { findResource } from "../../src-main/models/find-resource.ts";
import { ModelCatalogue } from "../../src-main/models/model-catalogue.ts";
import { builtOutput } from "../helpers/built-output.ts";
import { packageApp } from "../helpers/packaged-app.ts";
import { writeTinyGguf } from "../helpers/tiny-gguf.ts";

const isLinux = process.platform === "linux";
if (!isLinux) process.stderr.write("Skipped: the package's contents are checked on Linux only.\n");

describe.skipIf(!isLinux)("the package for Linux", () => {
  let work: string;
  let resources: string;
  let executable: string;
  /** Everything in the archive, also what lies unpacked beside it; paths from its root. */
  let files: readonly string[];
  /** The archive as plain files, away from the repository's own node_modules. */
  let app: string;

  beforeAll(() => {
    work = mkdtempSync(join(tmpdir(), "reprise-package-"));
    builtOutput();
    const folder = packageApp(work);
    resources = join(folder, "resources");
    executable = join(folder, "reprise");
    const archive = join(resources, "app.asar");
    files = listPackage(archive, { isPack: false }).map((path) => path.slice(1));
    app = join(work, "app");
    extractAll(archive, app);
  });
  afterAll(() => {
    rmSync(work, { recursive: true, force: true });
  });
  const matching = (pattern: RegExp) => files.filter((file) => pattern.test(file));

  test("has the entries of main, engine, quantizer, preload and page", () => {
    expect(files).toEqual(
      expect.arrayContaining([
        "package.json",
        "out/main/desktop.js",
        "out/main/engine.js",
        "out/main/quantizer.js",
        "out/preload/preload.cjs",
        "out/renderer/index.html",
      ]),
    );
    const { main } = JSON.parse(readFileSync(join(app, "package.json"), "utf8")) as { main: string };
    expect(existsSync(join(app, main))).toBe(true);
  });

  test("has no sources, tests, source maps or build files of ours or of others", () => {
    expect(matching(/^(src-main|src-renderer|test|build|\.config|release)\//)).toEqual([]);
    expect(matching(/\.(map|ts|mts|cts|svelte)$/)).toEqual([]);
    expect(matching(/licenses\.json$|^out\/main\/reprise\.js$/)).toEqual([]);
  });

  test("has the catalogue of models where the app looks for it", async () => {
    expect(matching(/^resources\//)).toEqual(["resources/model-catalogue.json"]);
    const path = findResource("model-catalogue.json", join(app, "out", "main", "chunks"));
    expect(path.startsWith(app)).toBe(true);
    expect(await new ModelCatalogue(path).entries()).toEqual(await new ModelCatalogue().entries());
  });

  test("has no packages that only development needs", () => {
    const development =
      /^node_modules\/(electron|electron-.*|vite|vitest|svelte|typescript|playwright-core|@sparticuz)\//;
    expect(matching(development)).toEqual([]);
  });

  test("has this platform's engine, and nobody else's", () => {
    const platforms = new Set(matching(/^node_modules\/@node-llama-cpp\/[^/]+\//).map((file) => file.split("/")[2]));
    const own = `linux-${process.arch}`;
    expect([...platforms]).toContain(own);
    for (const platform of platforms) expect(platform).toMatch(new RegExp(`^${own}(-vulkan)?$`));
    expect(matching(/better-sqlite3\/prebuilds\/./)).toEqual([
      `node_modules/better-sqlite3/prebuilds/linux-${process.arch}.node`,
    ]);
    expect(matching(/^node_modules\/@koromix\/.*\.node$/)).toEqual([
      `node_modules/@koromix/koffi-linux-${process.arch}/linux_${process.arch}/koffi.node`,
    ]);
  });

  test("leaves out the sources of native modules, and keeps what says which release they are of", () => {
    expect(
      matching(/gitRelease\.bundle|\.(c|cc|cpp|h|hpp|cmake|gyp|gypi)$|^node_modules\/koffi\/.*\.(hh|inc|def|S|asm)$/),
    ).toEqual([]);
    expect(files).toContain("node_modules/node-llama-cpp/llama/llama.cpp.info.json");
    expect(files).toContain("node_modules/node-llama-cpp/llama/binariesGithubRelease.json");
  });

  test("has every native library outside the archive, where the system can load it", () => {
    const natives = matching(/\.(node|so(\.[\d.]+)?)$/);
    expect(natives.length).toBeGreaterThan(2);
    const inside = natives.filter((file) => !existsSync(join(resources, "app.asar.unpacked", file)));
    expect(inside).toEqual([]);
  });

  test("says under which licences the work of others is in it", () => {
    const notices = readFileSync(join(resources, "THIRD-PARTY-NOTICES.txt"), "utf8");
    const names = [
      "fastify",
      "svelte",
      "tailwindcss",
      "node-llama-cpp",
      "better-sqlite3",
      "llama.cpp LICENSE",
      "SmolLM2",
    ];
    for (const name of names) expect(notices).toContain(`\n${name}`);
    expect(notices).toContain("The ggml authors");
    expect(notices).toContain("TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION");
  });

  test("has Electron's fuses set", async () => {
    const wire = await getCurrentFuseWire(executable);
    const expected: readonly [FuseV1Options, FuseState][] = [
      [FuseV1Options.RunAsNode, FuseState.DISABLE],
      [FuseV1Options.EnableCookieEncryption, FuseState.ENABLE],
      [FuseV1Options.EnableNodeOptionsEnvironmentVariable, FuseState.DISABLE],
      [FuseV1Options.EnableNodeCliInspectArguments, FuseState.DISABLE],
      [FuseV1Options.EnableEmbeddedAsarIntegrityValidation, FuseState.ENABLE],
      [FuseV1Options.OnlyLoadAppFromAsar, FuseState.ENABLE],
      [FuseV1Options.GrantFileProtocolExtraPrivileges, FuseState.DISABLE],
    ];
    expect(expected.map(([fuse]) => [FuseV1Options[fuse], wire[fuse]])).toEqual(
      expected.map(([fuse, state]) => [FuseV1Options[fuse], state]),
    );
  });

  test("has every package its code imports", () => {
    const scripts = globSync("out/main/**/*.js", { cwd: app }).map((script) => join(app, script));
    const imports = scripts.flatMap((script) =>
      [...readFileSync(script, "utf8").matchAll(/^(?:import|export) (?:[^"']* from )?"([^"'.][^"']*)"/gm)].map(
        ([, specifier = ""]) => ({ script, specifier }),
      ),
    );
    const packages = imports.filter(({ specifier }) => specifier !== "electron" && !isBuiltin(specifier));
    expect(packages.map(({ specifier }) => specifier)).toEqual(expect.arrayContaining(["zod", "node-llama-cpp"]));
    const missing = packages.filter(
      ({ script, specifier }) => findPackageJSON(specifier, pathToFileURL(script))?.startsWith(app) !== true,
    );
    expect(missing).toEqual([]);
  });

  test("opens a database with its own better-sqlite3", () => {
    const require = createRequire(join(app, "package.json"));
    const script = `
      const Database = require(${JSON.stringify(require.resolve("better-sqlite3"))});
      console.log(new Database(":memory:").prepare("select 6 * 7 as answer").get().answer);
    `;
    expect(execFileSync(process.execPath, ["-e", script], { encoding: "utf8" }).trim()).toBe("42");
  });

  test("quantizes a model with its own libraries", async () => {
    const quantizer = new Quantizer(forkEngine({ entry: join(app, "out", "main", "quantizer.js") }));
    const sourcePath = await writeTinyGguf(join(work, "tiny-f16.gguf"));
    const request = { sourcePath, fileType: 7, imatrixPath: null, outputPath: join(work, "tiny-q8.gguf"), threads: 1 };
    const { signal } = new AbortController();
    const { predictedBytes } = await quantizer.forecast(request, signal);
    expect(await quantizer.make(request, () => undefined, signal)).toBe(predictedBytes);
  });

  test("loads a model with its own engine", async () => {
    const supervisor = new EngineSupervisor({ launch: forkEngine({ entry: join(app, "out", "main", "engine.js") }) });
    try {
      const path = await writeTinyGguf(join(work, "tiny.gguf"));
      const { client } = await supervisor.engine();
      const tuning = { prefill: 1, decode: 1, measured: [] };
      const events = [];
      const cache = { cacheFolder: work, store: { isEnabled: false, budgetBytes: null }, pinned: [] };
      for await (const event of await client.load({ path, options: { contextTokens: 256 }, tuning, ...cache })) {
        events.push(event.type);
      }
      expect(events.at(-1)).toBe("loaded");
    } finally {
      await supervisor.stop();
    }
  });
});
