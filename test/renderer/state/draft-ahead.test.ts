import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DraftAhead, type TypedDraft } from "../../../src-renderer/state/draft-ahead.svelte.ts";
import { openConnection } from "../../helpers/fake-connection.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Main, which counts a token for every character and is done at once. */
async function openAhead(
  tokens: (text: string) => object | null | Error = (text) => ({ promptTokens: text.length, contextTokens: 2_048 }),
) {
  const prepared: string[] = [];
  const prepare = ({ text }: TypedDraft) => Promise.resolve(void prepared.push(text));
  const measure = ({ text }: TypedDraft) => {
    const result = tokens(text);
    return result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
  };
  return { ahead: new DraftAhead(await openConnection({ chat: { prepare, measure } })), prepared };
}

const draft = (text: string, place = "c1"): TypedDraft => ({ place, conversationId: "c1", text });

describe("while a message is typed", () => {
  test("it is computed ahead and measured when the typing pauses", async () => {
    const { ahead, prepared } = await openAhead();
    for (const text of ["H", "He", "Hello"]) ahead.typed(draft(text), "auto");
    await vi.advanceTimersByTimeAsync(299);
    expect(prepared).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(prepared).toEqual(["Hello"]);
    expect(ahead.sizeOf("c1")).toEqual({ place: "c1", promptTokens: 5, contextTokens: 2_048 });
  });

  test("a long text that is pasted is not made to wait", async () => {
    const { ahead, prepared } = await openAhead();
    ahead.typed(draft("Read this: "), "on");
    ahead.typed(draft(`Read this: ${"long ".repeat(200)}`), "on");
    await vi.advanceTimersByTimeAsync(0);
    expect(prepared).toHaveLength(1);
    expect(ahead.sizeOf("c1")?.promptTokens).toBe(1_011);
  });

  test("it is measured once more when it is computed, since less is left to be computed then", async () => {
    const measured: string[] = [];
    const { ahead } = await openAhead((text) => {
      measured.push(text);
      return { promptTokens: measured.length, contextTokens: 2_048 };
    });
    ahead.typed(draft("Hello"), "on");
    await vi.advanceTimersByTimeAsync(300);
    expect(measured).toEqual(["Hello", "Hello"]);
    expect(ahead.sizeOf("c1")?.promptTokens).toBe(2);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(measured).toHaveLength(2);
  });

  test("main is told where it would be sent to, and not which field it is typed into", async () => {
    const asked: object[] = [];
    const chat = {
      prepare: (input: object) => Promise.resolve(void asked.push(input)),
      measure: () => Promise.resolve(null),
    };
    const ahead = new DraftAhead(await openConnection({ chat }));
    ahead.typed({ ...draft("Hello", "edit-m3"), parentId: "m2" }, "on");
    await vi.advanceTimersByTimeAsync(300);
    expect(asked).toEqual([{ conversationId: "c1", parentId: "m2", text: "Hello" }]);
  });

  test("it is only measured where the settings say so", async () => {
    const { ahead, prepared } = await openAhead();
    ahead.typed(draft("Hello"), "off");
    await vi.advanceTimersByTimeAsync(300);
    expect(prepared).toEqual([]);
    expect(ahead.sizeOf("c1")?.promptTokens).toBe(5);
  });

  test("nothing is known of it without a loaded model, or where the measuring fails", async () => {
    const without = await openAhead(() => null);
    without.ahead.typed(draft("Hello"), "on");
    await vi.advanceTimersByTimeAsync(300);
    expect(without.ahead.sizeOf("c1")).toBeNull();

    const failing = await openAhead(() => new Error("gone"));
    failing.ahead.typed(draft("Hello"), "on");
    await vi.advanceTimersByTimeAsync(300);
    expect(failing.ahead.sizeOf("c1")).toBeNull();
  });
});

describe("what was measured", () => {
  test("is forgotten when the draft is sent or emptied", async () => {
    const { ahead, prepared } = await openAhead();
    ahead.typed(draft("Hello"), "on");
    await vi.advanceTimersByTimeAsync(300);
    ahead.typed(draft("Hello you"), "on");
    ahead.typed(null, "on");
    await vi.advanceTimersByTimeAsync(300);
    expect(ahead.sizeOf("c1")).toBeNull();
    expect(prepared).toEqual(["Hello"]);
  });

  test("is not taken for that of another field", async () => {
    const { ahead } = await openAhead();
    ahead.typed(draft("Hello"), "on");
    await vi.advanceTimersByTimeAsync(300);
    expect(ahead.sizeOf("edit-m1")).toBeNull();
    ahead.typed(draft("Hello", "edit-m1"), "on");
    expect(ahead.sizeOf("c1")).toBeNull();
    expect(ahead.sizeOf("edit-m1")).toBeNull();
  });
});
