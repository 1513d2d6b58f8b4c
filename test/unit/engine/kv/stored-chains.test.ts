import { describe, expect, test } from "vitest";
import { snapshotKey } from "../../../../src-main/engine/kv/block-key.ts";
import { blocksOf } from "../../../../src-main/engine/kv/blocks-of.ts";
import { StoredChains } from "../../../../src-main/engine/kv/stored-chains.ts";
import type { BlockDescription } from "../../../../src-main/engine/kv/stored-block.ts";
import { sampleFingerprint as fingerprint, unknownSteps } from "../../../helpers/sample-blocks.ts";
import { tokens } from "../../../helpers/resident.ts";

function rowsOf(ids: readonly number[], conversationId = "one"): BlockDescription[] {
  return blocksOf(ids, fingerprint, 0).map(({ key, parent, from, to }) => {
    const part = Uint32Array.from(ids.slice(from, to));
    const described = { key, parent, fingerprint, kind: "rows", from, tokens: part } as const;
    return { ...described, ...unknownSteps(part.length), conversationId, turnId: null };
  });
}

function chainsWith(...blocks: BlockDescription[]): StoredChains {
  const chains = new StoredChains(fingerprint);
  for (const block of blocks) chains.add(block);
  return chains;
}

describe("a chain of blocks", () => {
  test("serves any beginning of it, the last block in part", () => {
    const chains = chainsWith(...rowsOf(tokens(600)));
    const match = chains.chainFor([...tokens(300), 9_999, 9_998]);
    expect(match?.length).toBe(300);
    expect(match?.blocks.map(({ from }) => from)).toEqual([0, 256]);
    expect(match?.owners).toEqual([{ owner: "one", tokens: 300 }]);
  });

  test("the longest of several is taken, and tells whose its blocks are", () => {
    const shared = tokens(256);
    const chains = chainsWith(...rowsOf(tokens(400)), ...rowsOf([...shared, ...tokens(300, 5_000)], "two"));
    const match = chains.chainFor([...shared, ...tokens(200, 5_000), 1]);
    expect(match?.owners).toEqual([
      { owner: "one", tokens: 256 },
      { owner: "two", tokens: 200 },
    ]);
  });

  test("without its beginning a block is not taken in", () => {
    const [, second] = rowsOf(tokens(600));
    const chains = chainsWith(...(second === undefined ? [] : [second]));
    expect(chains.longest(tokens(600))).toBe(0);
  });

  test("a block that is lost is no longer found, and the reason is remembered", () => {
    const blocks = rowsOf(tokens(600));
    const chains = chainsWith(...blocks);
    chains.remove(blocks[2]?.key ?? "", "store-damaged");
    expect(chains.longest(tokens(600))).toBe(512);
    expect(chains.losses.reasonAt(tokens(600), 512)).toBe("store-damaged");
    expect(chains.losses.reasonAt(tokens(600), 511)).toBeNull();
  });
});

describe("a snapshot", () => {
  const ids = tokens(100);
  const snapshot: BlockDescription = {
    key: snapshotKey(fingerprint, ids),
    parent: fingerprint,
    fingerprint,
    kind: "snapshot",
    from: 0,
    tokens: Uint32Array.from(ids),
    ...unknownSteps(ids.length),
    conversationId: "one",
    turnId: null,
  };

  test("serves only what goes on from its end", () => {
    const chains = chainsWith(snapshot);
    expect(chains.snapshotFor([...ids, 7])?.length).toBe(100);
    expect(chains.snapshotFor(ids)).toBeNull();
    expect(chains.snapshotFor([...ids.slice(0, 90), 7])).toBeNull();
    expect(chains.longest([...ids.slice(0, 90), 7])).toBe(90);
    expect(chains.snapshotFor(ids, ids.length)?.length).toBe(100);
  });
});
