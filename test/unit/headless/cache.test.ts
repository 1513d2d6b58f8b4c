import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { SelfTestResult } from "../../../src-main/contract/cache.ts";
import { renderCacheState } from "../../../src-main/headless/cache-text.ts";
import { selfTestText } from "../../../src-main/headless/self-test-text.ts";
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

  test("compares a conversation with computing it afresh, and shows a near tie", async () => {
    const session = commandSession({ folder: temporaryFolder() });
    const { conversationId } = await jsonFrom<PrintedAnswer>(session, "chat", "Hello there");
    const before = session.output().length;
    expect(await session.run("cache", "verify", conversationId.slice(0, 12))).toBe(0);
    expect(session.output().slice(before)).toBe(
      "The stored block is sound.\n" +
        "6 tokens were restored in 0.00 s and computed afresh in 0.00 s. Both choose the same next token. " +
        "No logit differs by more than 0.001; the largest is 4. " +
        "The two likeliest next tokens are nearly tied: “one” is ahead of “two” by 0.001.\n",
    );
    expect(await jsonFrom(session, "cache", "verify", conversationId)).toMatchObject({
      blocks: 1,
      selfTest: { verdict: "same", tokens: 6, tie: { first: { text: "one" }, second: { text: "two" } } },
    });
  });

  test("knows no other conversation", async () => {
    const session = commandSession({ folder: temporaryFolder() });
    await jsonFrom(session, "chat", "Hello there");
    expect(await session.run("cache", "verify", "nobody")).toBe(1);
    expect(session.errors()).toContain("There is no conversation with the id “nobody”.");
  });

  test("removes what is stored, and says how much that was", async () => {
    const session = commandSession({ folder: temporaryFolder() });
    const { conversationId } = await jsonFrom<PrintedAnswer>(session, "chat", "Hello there");
    expect(await jsonFrom(session, "cache", "clear")).toEqual({ blocks: 1, bytes: 60 });
    expect(await jsonFrom(session, "cache")).toMatchObject({ store: { blocks: 0 } });
    expect(await jsonFrom(session, "show", conversationId)).toMatchObject({ messages: [{}, {}] });
  });

  test("has nothing to check or to remove where nothing is stored", async () => {
    const session = commandSession({ folder: temporaryFolder() });
    expect([
      await session.run("cache"),
      await session.run("cache", "verify"),
      await session.run("cache", "clear"),
    ]).toEqual([0, 0, 0]);
    expect(session.output()).toContain("Stored:    nothing");
    expect(session.output()).toContain("Nothing is stored, so there is nothing to check.\n");
    expect(session.output()).toContain("Nothing was stored, so there was nothing to remove.\n");
  });
});

describe("a conversation compared with computing it, as text", () => {
  const result: SelfTestResult = {
    tokens: 2_048,
    replayedTokens: 2_048,
    verdict: "same",
    isSameChoice: true,
    maxDifference: 0,
    scale: 17.3,
    tie: null,
    restoreMs: 51,
    computeMs: 10_204,
  };
  const tie = {
    first: { text: "\n", fresh: 17.3, restored: 17.2 },
    second: { text: "\u009b The", fresh: 17.29, restored: 17.29 },
    distance: 0.01234,
  };

  test("says that every logit is equal", () => {
    expect(selfTestText(result)).toBe(
      "2048 tokens were restored in 0.05 s and computed afresh in 10.20 s. Both choose the same next token. " +
        "Every logit is equal.",
    );
    expect(selfTestText({ ...result, maxDifference: null, scale: null })).not.toContain("ogit");
    expect(selfTestText({ ...result, verdict: "nothing-stored", tokens: 0 })).toContain("nothing to restore");
  });

  test("shows a near tie, and steers no terminal by it", () => {
    const text = selfTestText({ ...result, verdict: "near-tie", isSameChoice: false, maxDifference: 0.012, tie });
    expect(text).toContain("nearly tied: “\\n” is ahead of “ The” by 0.012.");
  });

  test("says what to do where they do not agree", () => {
    expect(selfTestText({ ...result, verdict: "different", maxDifference: 4 })).toContain("“reprise cache clear”");
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

  test("says that a file was begun anew, and why", () => {
    const { store } = mixedCacheState();
    const textOf = (startedAnew: "damaged" | "older") =>
      renderCacheState(mixedCacheState({ store: { ...store, startedAnew } }));
    expect(textOf("damaged")).toContain("The cache file was damaged, so a new one was begun.");
    expect(textOf("older")).toContain("The cache file was from an older Reprise, so a new one was begun.");
  });
});
