import { expect, test } from "vitest";
import { ContextRoom } from "../../../../src-main/engine/sizing/context-room.ts";

const gibibyte = 2 ** 30;

/** 64 KiB a token on a machine of 16 GiB, which leaves one of them to others. */
async function openRoom(freeGibibytes = 8) {
  const memory = { freeBytes: freeGibibytes * gibibyte, totalBytes: 16 * gibibyte };
  const room = await ContextRoom.open({
    trainedTokens: 131_072,
    limitTokens: null,
    bytesPerToken: 65_536,
    fixedBytes: 0,
    freeMemory: () => ({ ...memory }),
  });
  const setFree = async (gibibytes: number) => {
    memory.freeBytes = gibibytes * gibibyte;
    await room.refresh();
  };
  return { room, setFree };
}

test("what could be had follows free memory, when it is looked at", async () => {
  const { room, setFree } = await openRoom();
  expect(room.largest(8_192)).toBe(8_192 + 7 * 16_384);
  await setFree(2);
  expect(room.largest(8_192)).toBe(8_192 + 16_384);
});

test("a limit that shows later is obeyed too", async () => {
  const { room } = await openRoom();
  room.limitTo(20_000);
  expect(room.largest(8_192)).toBe(20_000);
  expect(room.plan(9_000, 8_192)).toBe(16_384);
  room.limitTo(1_024);
  expect(room.smallest).toBe(1_024);
});

test("what could not be made is not tried again until clearly more memory is free", async () => {
  const { room, setFree } = await openRoom(4);
  room.noteFailure();
  expect(room.plan(9_000, 8_192)).toBe(8_192);
  expect(room.largest(8_192)).toBe(8_192);
  await setFree(4.5);
  expect(room.plan(9_000, 8_192)).toBe(8_192);
  await setFree(6);
  expect(room.plan(9_000, 8_192)).toBe(16_384);
});

test("where there is no context at all, the first one is planned whatever failed before", async () => {
  const { room } = await openRoom();
  room.noteFailure();
  expect(room.plan(100, 0)).toBe(8_192);
});

test("what is in place is held in memory only where both fit", async () => {
  const { room } = await openRoom(2);
  // One gibibyte to spare and the context's own half: one and a half.
  expect(room.fitsBeside(gibibyte / 2, 16_384, 8_192)).toBe(true);
  expect(room.fitsBeside(gibibyte / 2 + 1, 16_384, 8_192)).toBe(false);
});

test("what other models would give back is counted, and taken only where it is needed", async () => {
  const memory = { freeBytes: 2 * gibibyte, totalBytes: 16 * gibibyte };
  const others = { bytes: 4 * gibibyte };
  const room = await ContextRoom.open({
    trainedTokens: 131_072,
    limitTokens: null,
    bytesPerToken: 65_536,
    fixedBytes: 0,
    freeMemory: () => memory,
    reclaimableBytes: () => others.bytes,
  });
  expect(room.largest(8_192)).toBe(8_192 + 5 * 16_384);
  // Twice as much is had without them.
  expect(room.plan(9_000, 8_192)).toBe(16_384);
  expect(room.missingBytes(16_384, 8_192)).toBe(0);
  expect(room.plan(30_000, 8_192)).toBe(30_208);
  expect(room.missingBytes(30_208, 8_192)).toBe((30_208 - 8_192 - 16_384) * 65_536);
  others.bytes = 0;
  expect(room.plan(30_000, 8_192)).toBe(8_192);
});
