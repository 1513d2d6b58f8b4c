import type { LoadInput } from "../contract/engine-contract.ts";
import { fileIdentity, weightsIdentity } from "./kv/weights-hash.ts";

export type KeyedModel = Pick<LoadInput, "path" | "options">;

/** Another content, or other options, are another model. `null`: its files cannot be looked at. */
export function residentKey({ path, options }: KeyedModel): string | null {
  try {
    const adapters = options.loras.map((lora) => fileIdentity(lora.path));
    return JSON.stringify([path, options, weightsIdentity(path), adapters]);
  } catch {
    return null;
  }
}
