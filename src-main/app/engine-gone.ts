import { toRepriseError } from "../contract/errors.ts";

/** The engine crashed or was stopped during the call; the session tells of that. */
export function isEngineGone(caught: unknown): boolean {
  const { code } = toRepriseError(caught);
  return code === "ENGINE_CRASHED" || code === "ENGINE_STOPPED";
}
