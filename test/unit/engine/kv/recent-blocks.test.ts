import { describe, expect, test } from "vitest";
import { RecentBlocks } from "../../../../src-main/engine/kv/recent-blocks.ts";

const tenBytes = () => new Uint8Array(10);

describe("blocks in memory", () => {
  test("are served as they were added", () => {
    const recent = new RecentBlocks(100);
    const payload = tenBytes();
    recent.add("a", payload);
    expect(recent.get("a")).toBe(payload);
    expect(recent.get("b")).toBeNull();
  });

  test("leave when there is no room, the least recently used first", () => {
    const recent = new RecentBlocks(30);
    for (const key of ["a", "b", "c"]) recent.add(key, tenBytes());
    recent.get("a");
    recent.add("d", tenBytes());
    expect(["a", "b", "c", "d"].filter((key) => recent.get(key) !== null)).toEqual(["a", "c", "d"]);
    expect(recent.usedBytes).toBe(30);
  });

  test("stay while they are held, whatever they take, and leave after that", () => {
    const recent = new RecentBlocks(15);
    recent.hold("a", tenBytes());
    recent.hold("b", tenBytes());
    expect(recent).toMatchObject({ usedBytes: 20, heldBytes: 20 });
    recent.release("a");
    expect(recent).toMatchObject({ usedBytes: 10, heldBytes: 10 });
    expect(recent.get("a")).toBeNull();
    recent.release("b");
    expect(recent.get("b")).not.toBeNull();
  });

  test("are held also when they were there before", () => {
    const recent = new RecentBlocks(15);
    recent.add("a", tenBytes());
    recent.hold("a", tenBytes());
    recent.hold("a", tenBytes());
    recent.add("b", tenBytes());
    expect(recent.get("a")).not.toBeNull();
    expect(recent).toMatchObject({ usedBytes: 10, heldBytes: 10 });
  });

  test("do not stay where one alone is too large", () => {
    const recent = new RecentBlocks(5);
    recent.add("a", tenBytes());
    expect(recent).toMatchObject({ usedBytes: 0 });
  });

  test("are forgotten on demand, held or not", () => {
    const recent = new RecentBlocks(100);
    recent.add("a", tenBytes());
    recent.hold("b", tenBytes());
    for (const key of ["a", "b", "c"]) recent.delete(key);
    expect(recent).toMatchObject({ usedBytes: 0, heldBytes: 0 });
  });

  test("keep to a budget that is lowered", () => {
    const recent = new RecentBlocks(100);
    for (const key of ["a", "b", "c"]) recent.add(key, tenBytes());
    recent.setBudget(10);
    expect(recent.usedBytes).toBe(10);
    expect(recent.get("c")).not.toBeNull();
  });
});
