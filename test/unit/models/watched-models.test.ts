import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { repositoryOf } from "../../../src-main/models/watched/hub-cache.ts";
import { ggufPathsOf } from "../../../src-main/models/watched/jan.ts";
import { blobsOf, nameOfManifest } from "../../../src-main/models/watched/ollama.ts";
import { watchPlaces, type WatchPlace } from "../../../src-main/models/watched/watch-places.ts";
import { WatchedModels } from "../../../src-main/models/watched/watched-models.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

function write(path: string, content = "GGUF"): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** What is found in one program's folder. */
async function found(source: WatchPlace["source"], folder: string) {
  const { files, problems } = await new WatchedModels([{ source, folder }]).list([]);
  expect(problems).toEqual([]);
  return files;
}

describe("places", () => {
  const machine = { platform: "linux", environment: {}, homeFolder: "/home/me" } as const;
  const folders = (changes: Partial<Parameters<typeof watchPlaces>[0]>) =>
    watchPlaces({ ...machine, ...changes }).map(({ source, folder }) => `${source} ${folder}`);

  test("on Linux", () => {
    expect(folders({})).toEqual([
      "lm-studio /home/me/.lmstudio/models",
      "lm-studio /home/me/.cache/lm-studio/models",
      "jan /home/me/.local/share/Jan/data/llamacpp/models",
      "jan /home/me/.config/Jan/data/llamacpp/models",
      "ollama /home/me/.ollama/models",
      "ollama /usr/share/ollama/.ollama/models",
      "hub-cache /home/me/.cache/huggingface/hub",
    ]);
  });

  test("on macOS", () => {
    expect(folders({ platform: "darwin", homeFolder: "/Users/me" })).toEqual([
      "lm-studio /Users/me/.lmstudio/models",
      "lm-studio /Users/me/.cache/lm-studio/models",
      "jan /Users/me/Library/Application Support/Jan/data/llamacpp/models",
      "ollama /Users/me/.ollama/models",
      "hub-cache /Users/me/.cache/huggingface/hub",
    ]);
  });

  test("on Windows", () => {
    const environment = { APPDATA: "D:\\Roaming" };
    expect(folders({ platform: "win32", homeFolder: "C:\\Users\\me", environment })).toEqual([
      "lm-studio C:\\Users\\me\\.lmstudio\\models",
      "lm-studio C:\\Users\\me\\.cache\\lm-studio\\models",
      "jan D:\\Roaming\\Jan\\data\\llamacpp\\models",
      "ollama C:\\Users\\me\\.ollama\\models",
      "hub-cache C:\\Users\\me\\.cache\\huggingface\\hub",
    ]);
  });

  test("as the environment says, unless it says nothing of use", () => {
    const environment = { OLLAMA_MODELS: "/big/ollama", HF_HOME: "/big/hf", XDG_CONFIG_HOME: "relative" };
    const changed = folders({ environment });
    expect(changed).toContain("ollama /big/ollama");
    expect(changed).not.toContain("ollama /home/me/.ollama/models");
    expect(changed).toContain("hub-cache /big/hf/hub");
    expect(changed).toContain("jan /home/me/.config/Jan/data/llamacpp/models");
    expect(folders({ environment: { ...environment, HF_HUB_CACHE: "/big/hub" } })).toContain("hub-cache /big/hub");
  });

  test("none where watching is off", () => {
    expect(folders({ environment: { REPRISE_WATCH: "off" } })).toEqual([]);
    expect(process.env["REPRISE_WATCH"]).toBe("off");
  });
});

test("LM Studio's models lie in folders of their makers", async () => {
  const folder = temporaryFolder();
  const path = write(join(folder, "someone", "Qwen3-4B-GGUF", "Qwen3-4B-Q4_K_M.gguf"));
  write(join(folder, "someone", "Qwen3-4B-MLX", "model.safetensors"));
  expect(await found("lm-studio", folder)).toEqual([{ path, source: "lm-studio", sizeBytes: 4, name: null }]);
});

describe("Jan's models", () => {
  test("are named in a file for each, below its data folder or anywhere", async () => {
    const data = temporaryFolder();
    const folder = join(data, "llamacpp", "models");
    const elsewhere = write(join(temporaryFolder(), "imported.gguf"));
    const model = write(join(folder, "qwen", "model.gguf"));
    write(
      join(folder, "qwen", "model.yml"),
      "embedding: false\nmodel_path: llamacpp/models/qwen/model.gguf\nname: Qwen\n",
    );
    write(join(folder, "mine", "model.yml"), `model_path: ${elsewhere}\nsize_bytes: 4\n`);
    write(join(folder, "gone", "model.yml"), "model_path: llamacpp/models/gone/model.gguf\n");
    const paths = (await found("jan", folder)).map(({ path }) => path);
    expect(paths.sort()).toEqual([elsewhere, model].sort());
  });

  test.each([
    ["model_path: a/b.gguf\nmmproj_path: a/mmproj.gguf", ["a/b.gguf", "a/mmproj.gguf"]],
    ["files:\n  - /m/my model.gguf  # here\n  - '/m/b.GGUF'", ["/m/my model.gguf", "/m/b.GGUF"]],
    ['model_path: "C:\\\\models\\\\a.gguf"', ["C:\\models\\a.gguf"]],
    ["name: model\nversion: 1\n- nothing\n:::", []],
    ["model_path: a.gguf\nmodel: a.gguf", ["a.gguf"]],
  ])("%j names %j", (yaml, paths) => {
    expect(ggufPathsOf(yaml)).toEqual(paths);
  });
});

describe("Ollama's models", () => {
  const digest = (character: string) => `sha256:${character.repeat(64)}`;
  const manifest = (layers: object[]) => JSON.stringify({ schemaVersion: 2, layers });
  const model = { mediaType: "application/vnd.ollama.image.model", digest: digest("a"), size: 4 };

  test("are blobs that a manifest names, and called as there", async () => {
    const folder = temporaryFolder();
    const blob = write(join(folder, "blobs", `sha256-${"a".repeat(64)}`));
    write(join(folder, "manifests", "registry.ollama.ai", "library", "qwen3", "4b"), manifest([model]));
    write(
      join(folder, "manifests", "registry.ollama.ai", "library", "gone", "1b"),
      manifest([{ ...model, digest: digest("b") }]),
    );
    write(join(folder, "manifests", "registry.ollama.ai", "library", "broken", "1b"), "{");
    expect(await found("ollama", folder)).toEqual([{ path: blob, source: "ollama", sizeBytes: 4, name: "qwen3:4b" }]);
  });

  test.each([
    [
      "a model with its template",
      manifest([model, { mediaType: "application/vnd.ollama.image.template", digest: digest("c") }]),
      1,
    ],
    ["an adapter", manifest([model, { mediaType: "application/vnd.ollama.image.adapter", digest: digest("d") }]), 2],
    ["a digest that would lead elsewhere", manifest([{ ...model, digest: "sha256:../../etc/passwd" }]), 0],
    ["no manifest", "[]", 0],
    ["no JSON", "GGUF", 0],
  ])("%s", (_, text, count) => {
    expect(blobsOf(text)).toHaveLength(count);
  });

  test.each([
    [["registry.ollama.ai", "library", "qwen3", "4b"], "qwen3:4b"],
    [["registry.ollama.ai", "someone", "tuned", "latest"], "someone/tuned:latest"],
    [["hf.co", "someone", "model-GGUF", "Q4_K_M"], "hf.co/someone/model-GGUF:Q4_K_M"],
  ])("%j is called %s", (segments, name) => {
    expect(nameOfManifest(segments)).toBe(name);
  });
});

test("the hub's cache holds links into its blobs, and other things than models", async () => {
  const folder = temporaryFolder();
  const repository = join(folder, "models--someone--tiny-GGUF");
  const blob = write(join(repository, "blobs", "aa"));
  const snapshot = join(repository, "snapshots", "abc");
  mkdirSync(snapshot, { recursive: true });
  symlinkSync(blob, join(snapshot, "tiny-Q8_0.gguf"));
  symlinkSync(join(repository, "blobs", "gone"), join(snapshot, "gone.gguf"));
  write(join(folder, "datasets--someone--texts", "snapshots", "abc", "texts.gguf"));
  write(join(folder, "version.txt"));
  expect(await found("hub-cache", folder)).toEqual([
    { path: join(snapshot, "tiny-Q8_0.gguf"), source: "hub-cache", sizeBytes: 4, name: null },
  ]);
  expect(repositoryOf("models--someone--tiny-GGUF")).toBe("someone/tiny-GGUF");
  expect(repositoryOf("datasets--someone--texts")).toBeNull();
});

test("the user's own folders are watched, and a file that is found twice is listed once", async () => {
  const folder = temporaryFolder();
  const path = write(join(folder, "a.gguf"));
  const watched = new WatchedModels([{ source: "lm-studio", folder }]);
  expect((await watched.list([folder])).files).toEqual([{ path, source: "lm-studio", sizeBytes: 4, name: null }]);
  expect((await new WatchedModels([]).list([folder])).files[0]?.source).toBe("watched");
});

test("programs that are not there are no problem; a folder that cannot be read is one, and the others are listed", async () => {
  const nowhere = join(temporaryFolder(), "nowhere");
  const sources = ["lm-studio", "jan", "ollama", "hub-cache"] as const;
  const absent = new WatchedModels(sources.map((source) => ({ source, folder: nowhere })));
  expect(await absent.list([nowhere])).toEqual({ files: [], problems: [] });

  // A manifest that is a link to itself cannot be read, whoever asks.
  const ollama = temporaryFolder();
  mkdirSync(ollama, { recursive: true });
  symlinkSync(join(ollama, "manifests"), join(ollama, "manifests"));
  const folder = temporaryFolder();
  write(join(folder, "a.gguf"));
  const { files, problems } = await new WatchedModels([{ source: "ollama", folder: ollama }]).list([folder]);
  expect(files).toHaveLength(1);
  expect(problems).toMatchObject([{ code: "STORAGE_FAILED", message: expect.stringContaining(ollama) as string }]);
});
