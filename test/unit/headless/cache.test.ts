import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { renderCacheState } from "../../../src-main/headless/cache-text.ts";
import { commandSession, jsonFrom, type PrintedAnswer } from "../../helpers/command-session.ts";
import { storedWordsPath } from "../../helpers/echo-cache.ts";
import { mixedCacheState } from "../../helpers/mixed-cache-state.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

// Processes start and end in these tests.
vi.setConfig({ testTimeout: 60_000 });

describe("reprise cache", () => {
  test("tells what is stored, without loading a model", async () => {
    const session = commandSession({ folder: temporaryFolder() });
    const { conversationId } = await jsonFrom<PrintedAnswer>(session, "chat", "Hello there");
    const state = await jsonFrom(session, "cache");
    expect(state).toMatchObject({
      cells: null,
      store: { blocks: 1, tokens: 6 },
      residency: [{ conversationId, state: "stored" }],
    });
    expect(await jsonFrom(session, "cache", "stats")).toEqual(state);
  });

  test("checks what is stored", async () => {
    const session = commandSession({ folder: temporaryFolder() });
    await jsonFrom(session, "chat", "Hello there");
    const before = session.output().length;
    expect(await session.run("cache", "verify")).toBe(0);
    expect(session.output().slice(before)).toBe("The stored block is sound.\n");
    expect(await jsonFrom(session, "cache", "verify")).toEqual({ blocks: 1, damaged: 0, failure: null });
  });

  test("says what is damaged, and fails", async () => {
    const folder = temporaryFolder();
    const session = commandSession({ folder });
    await jsonFrom(session, "list");
    writeFileSync(storedWordsPath(join(folder, "data")), JSON.stringify({ one: 5, two: "damaged" }));
    const before = session.output().length;
    expect(await session.run("cache", "verify", "--json")).toBe(1);
    expect(JSON.parse(session.output().slice(before))).toEqual({ blocks: 2, damaged: 1, failure: null });
    expect(session.errors()).toMatch(/^reprise: 1 of 2 stored blocks are damaged\.[^\n]+\n$/);
  });

  test("removes what is stored, and says how much that was", async () => {
    const session = commandSession({ folder: temporaryFolder() });
    const { conversationId } = await jsonFrom<PrintedAnswer>(session, "chat", "Hello there");
    expect(await jsonFrom(session, "cache", "clear")).toEqual({ blocks: 1, bytes: 60 });
    expect(await jsonFrom(session, "cache")).toMatchObject({ store: { blocks: 0 } });
    expect(await jsonFrom(session, "show", conversationId)).toMatchObject({ messages: [{}, {}] });
  });
});

test("an answer tells what was reused from the store", async () => {
  const session = commandSession({ folder: temporaryFolder() });
  const { conversationId } = await jsonFrom<PrintedAnswer>(session, "chat", "Hello there");
  await jsonFrom(session, "chat", "-c", conversationId, "and you");
  await session.run("show", conversationId);
  expect(session.output()).toContain("reused 6 of 8 (6 from the store)");
});

describe("the state as text", () => {
  test("has a line for each figure", () => {
    expect(renderCacheState(mixedCacheState())).toBe(
      [
        "In place:  400 of 2048 tokens",
        "Stored:    1024 tokens of 1 conversation in 4 blocks, 23.6 MB of 8.0 GB",
        "Shared:    1 block, which saves 5.9 MB",
        "Written:   30.0 MB; 1.0 MB waiting",
        "Again:     120 tokens evicted",
      ].join("\n"),
    );
  });

  test("says what is the matter with the store", () => {
    const { store } = mixedCacheState();
    const text = renderCacheState(
      mixedCacheState({ cells: null, store: { ...store, isEnabled: false, failure: "The disk is full." } }),
    );
    expect(text).toContain("In place:  no model is loaded");
    expect(text).toContain("Storing is switched off.\nCannot be used now: The disk is full.");
  });
});
