import { tinyGguf } from "./tiny-gguf.ts";

/** How a model file can be broken: a download cut off, another file under its name, a header that lies. */
export type Damage = "truncated-tensors" | "truncated-header" | "not-gguf" | "wrong-magic" | "huge-key-count" | "empty";

/** The bytes of a model file with that damage. */
export function damagedGguf(damage: Damage): Buffer {
  const whole = tinyGguf();
  switch (damage) {
    case "truncated-tensors":
      return whole.subarray(0, Math.floor(whole.length / 2));
    case "truncated-header":
      return whole.subarray(0, 1_000);
    case "not-gguf":
      return Buffer.from("These are my notes from Tuesday, and not a model.\n".repeat(100));
    case "wrong-magic":
      return Buffer.concat([Buffer.from("GGJT"), whole.subarray(4)]);
    case "huge-key-count":
      return withKeyCount(whole, 2n ** 40n);
    case "empty":
      return Buffer.alloc(0);
  }
}

function withKeyCount(whole: Buffer, keyCount: bigint): Buffer {
  const changed = Buffer.from(whole);
  changed.writeBigUInt64LE(keyCount, 16);
  return changed;
}
