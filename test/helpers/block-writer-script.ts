/** Puts chains of blocks into a store without a pause until it is killed, and tells of each that is stored. */
import { writeSync } from "node:fs";
import { blockKey } from "../../src-main/engine/kv/block-key.ts";
import { BlockStore } from "../../src-main/engine/kv/block-store.ts";

const fingerprint = "ab".repeat(32);
const store = new BlockStore(String(process.argv[2]), { budgetBytes: 30_000_000, onRemoved: () => undefined });

for (let chain = 0; ; chain += 1) {
  for (let number = 0, parent = fingerprint; number < 6; number += 1) {
    const tokens = Uint32Array.from({ length: 16 }, (_, index) => chain * 1_000 + number * 16 + index);
    const key = blockKey(parent, tokens);
    const payload = Buffer.alloc(700_000, chain + number);
    const steps = { steps: new Uint32Array(16), stepsBefore: 0 };
    const position = { from: number * 16, tokens, ...steps, conversationId: `chat ${chain}`, turnId: null };
    const { kind } = store.put({ key, parent, fingerprint, kind: "rows", ...position, payload });
    if (kind === "stored") writeSync(1, `${key} ${(chain + number) % 256}\n`);
    parent = key;
  }
}
