import { crc32 } from "node:zlib";
import { blockKey, snapshotKey } from "./block-key.ts";
import type { StoredBlock } from "./stored-block.ts";

/** Whether payload and description are what was written: the key vouches for the tokens, the checksum for the payload. */
export function isSound(block: StoredBlock, payload: Uint8Array): boolean {
  const { key, kind, parent, tokens, payloadBytes, checksum } = block;
  const expectedKey = kind === "rows" ? blockKey(parent, tokens) : snapshotKey(parent, tokens);
  return key === expectedKey && payload.length === payloadBytes && crc32(payload) === checksum;
}
