/** Ollama keeps a manifest for each name and tag, which lists blobs by their hash; those of models are GGUF files. */
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { z } from "zod";
import { existingFile } from "./existing-file.ts";
import type { WatchedFile } from "./watched-file.ts";

const manifestSchema = z.object({ layers: z.array(z.object({ mediaType: z.string(), digest: z.string() })) });
const weights = /^application\/vnd\.ollama\.image\.(model|adapter|projector)$/;
const digestForm = /^sha256[:-]([0-9a-f]{64})$/;

/** File names of the blobs that hold weights; none for what is no manifest. Pure. */
export function blobsOf(manifest: string): string[] {
  const parsed = manifestSchema.safeParse(parseJson(manifest));
  if (!parsed.success) return [];
  return parsed.data.layers.flatMap(({ mediaType, digest }) => {
    const [, hash] = digestForm.exec(digest) ?? [];
    return weights.test(mediaType) && hash !== undefined ? [`sha256-${hash}`] : [];
  });
}

/** `qwen3:4b` of `registry.ollama.ai/library/qwen3/4b`, `someone/model:tag` and `host/someone/model:tag` of others. Pure. */
export function nameOfManifest(segments: readonly string[]): string {
  const [host, ...rest] = segments;
  const names = host === "registry.ollama.ai" ? rest.slice(rest[0] === "library" ? 1 : 0) : segments;
  return `${names.slice(0, -1).join("/")}:${names.at(-1) ?? ""}`;
}

/** Throws the system's error. */
export async function findOllamaModels(folder: string): Promise<WatchedFile[]> {
  const manifests = join(folder, "manifests");
  const entries = await readdir(manifests, { recursive: true, withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
      .map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        const blobs = blobsOf(await readFile(path, "utf8"));
        const called = nameOfManifest(relative(manifests, path).split(sep));
        return Promise.all(blobs.map((blob) => existingFile(join(folder, "blobs", blob), "ollama", called)));
      }),
  );
  return found.flat().filter((file) => file !== null);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
