import type { CacheState } from "../../src-main/contract/cache.ts";
import type { ResidentModel } from "../../src-main/contract/model-switch.ts";
import type { ModelFile } from "../../src-main/contract/model.ts";

/** What this model takes in memory; `null` where it is not there, or that is not known yet. */
export function inMemory(file: ModelFile, cache: CacheState | null): ResidentModel | null {
  return cache?.models.find(({ path }) => liesAt(file, path)) ?? null;
}

/** Whether this is the file, or one of its copies. */
export function liesAt({ path, copies }: ModelFile, there: string): boolean {
  return path === there || copies.some((copy) => copy.path === there);
}
