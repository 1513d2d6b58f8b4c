/** What is known of a hub's files before they are here. */
import type { HubLevel } from "../../src-main/contract/hub.ts";
import type { ModelFile } from "../../src-main/contract/model.ts";

/** Where a person reads about a repository; `null` for what is no name of one. */
export function hubPage(repository: string): string | null {
  return /^[\w.-]+\/[\w.-]+$/.test(repository) ? `https://huggingface.co/${repository}` : null;
}

/** It cannot be told where the system does not say how much is free. */
export function lacksRoom(sizeBytes: number, diskFreeBytes: number | null): boolean {
  return diskFreeBytes !== null && sizeBytes >= diskFreeBytes;
}

/** Whether a level of a repository lies in the models folder. */
export function isHere(repository: string, { files }: HubLevel, listed: readonly ModelFile[]): boolean {
  const ending = `/${repository}/${files[0].path}`;
  return listed.some(({ path }) => path.replaceAll("\\", "/").endsWith(ending));
}
