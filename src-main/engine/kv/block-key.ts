/**
 * Names of what is stored. A block is only right behind exactly the tokens before it (keys are kept after RoPE), so its
 * key is a chain: the hash of its parent's key and its own tokens. The first parent is the fingerprint of all that
 * gives the same tokens other keys and values.
 */
import { hash } from "node:crypto";
import type { Fingerprint } from "./fingerprint.ts";

/** 64 hexadecimal digits. A fingerprint stands for the key of the block before the first one. */
export type BlockKey = string;

/** Bytes of token ids as they are hashed and stored: unsigned 32-bit, little-endian. */
export function tokenBytes(tokens: ArrayLike<number>): Buffer {
  const words = Uint32Array.from(tokens);
  return Buffer.from(words.buffer, words.byteOffset, words.byteLength);
}

/** `parent`: the key of the block before it, or the fingerprint for the first one. */
export function blockKey(parent: BlockKey, tokens: ArrayLike<number>): BlockKey {
  return hash("sha256", Buffer.concat([Buffer.from(parent, "hex"), tokenBytes(tokens)]), "hex");
}

/** Of a whole state after `tokens`; never equal to a block's key. */
export function snapshotKey(fingerprint: Fingerprint, tokens: ArrayLike<number>): BlockKey {
  const parts = [Buffer.from("snapshot"), Buffer.from(fingerprint, "hex"), tokenBytes(tokens)];
  return hash("sha256", Buffer.concat(parts), "hex");
}
