import { beforeEach, describe, expect, test, vi } from "vitest";
import { ActiveCells, type CellMemory } from "../../../../src-main/engine/kv/active-cells.ts";
import { AnswerText } from "../../../../src-main/engine/generation/answer-text.ts";
import { decode, type DecodeOptions } from "../../../../src-main/engine/generation/decode.ts";
import { DeltaCoalescer } from "../../../../src-main/engine/generation/delta-coalescer.ts";
import { DecodeWatch } from "../../../../src-main/engine/tuning/decode-watch.ts";

const endToken = 99;
/** Token 0 is "a", 1 is "b", and so on. */
const tokenizer = { bytesOf: (token: number) => Uint8Array.of(97 + token) };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  return () => vi.useRealTimers();
});

/** Cells that take `tokenMs` for a token, which may change on the way. */
class SlowCells implements CellMemory {
  readonly firstPosition = 0;
  readonly threads = 8;
  tokenMs = 10;

  computeChunk(): Promise<number | null> {
    return Promise.resolve(0);
  }

  computeToken(position: number): Promise<number> {
    vi.advanceTimersByTime(this.tokenMs);
    return Promise.resolve(position);
  }

  truncate(): boolean {
    return true;
  }

  clear(): void {
    throw new Error("nothing failed");
  }
}

/** A model of eight threads measured at 10 ms a token, whose answer is `answer`, over a prompt of 20 tokens. */
async function answering(
  answer: readonly number[],
  options: Partial<DecodeOptions> & { contextTokens?: number; growsBy?: number; isOrdered?: boolean } = {},
) {
  const memory = new SlowCells();
  const cells = new ActiveCells(memory, { onFull: () => Infinity, isAlone: () => true, onFailure: () => undefined });
  await cells.extend(
    Array.from({ length: 20 }, () => 1),
    true,
  );
  const measured = [{ threads: 8, prefillTokensPerSecond: 500, decodeTokensPerSecond: 100 }];
  const setThreads = vi.fn<(threads: number) => void>();
  const decoder = {
    cells,
    isOrdered: options.isOrdered ?? false,
    contextTokens: options.contextTokens ?? 100,
    grow: () => {
      vi.advanceTimersByTime(5_000);
      decoder.contextTokens += options.growsBy ?? 0;
      return Promise.resolve(options.growsBy !== undefined);
    },
    watch: new DecodeWatch({ prefill: 8, decode: 8, measured }),
    setThreads,
    isEndOfGeneration: (token: number) => token === endToken,
  };
  const tokens = answer.values();
  const text = new AnswerText(tokenizer, []);
  const decoded = () =>
    decode(decoder, {
      logitIndex: 0,
      sample: () => Promise.resolve(tokens.next().value ?? endToken),
      answer: text,
      deltas: new DeltaCoalescer(() => undefined),
      maxTokens: null,
      signal: new AbortController().signal,
      ...options,
    });
  return { memory, cells, setThreads, text, decoded };
}

describe("an answer ends", () => {
  test("with the model's own end, which is sampled but no part of it", async () => {
    const { decoded, cells } = await answering([0, 1, endToken]);
    expect(await decoded()).toMatchObject({ stopReason: "end", outputTokens: 2, sampledTokens: 3 });
    expect(cells.length).toBe(22);
  });

  test("with its first token", async () => {
    const { decoded } = await answering([endToken]);
    expect(await decoded()).toMatchObject({ stopReason: "end", outputTokens: 0, sampledTokens: 1 });
  });

  test("at its longest, without computing the last token", async () => {
    const { decoded, cells } = await answering([0, 1, 2, 3], { maxTokens: 3 });
    expect(await decoded()).toMatchObject({ stopReason: "length", outputTokens: 3, sampledTokens: 3 });
    expect(cells.length).toBe(22);
  });

  test("with the last cell, and the token that would need another is still part of it", async () => {
    const { decoded, text } = await answering([0, 1, 2, 3], { contextTokens: 22 });
    expect(await decoded()).toMatchObject({ stopReason: "context-full", outputTokens: 3 });
    expect(text.finish().answerTokens).toEqual([0, 1, 2]);
  });

  test("not with the last cell where the context can grow, which takes no thread away", async () => {
    const { decoded, cells, setThreads } = await answering([0, 1, 2, 3, endToken], {
      contextTokens: 22,
      growsBy: 1,
    });
    expect(await decoded()).toMatchObject({ stopReason: "end", outputTokens: 4 });
    expect(cells.length).toBe(24);
    expect(setThreads).not.toHaveBeenCalled();
  });

  test("with a stop string", async () => {
    const answer = new AnswerText(tokenizer, ["bc"]);
    const { decoded } = await answering([0, 1, 2, 3], { answer });
    expect(await decoded()).toMatchObject({ stopReason: "stop-string", outputTokens: 3 });
  });

  test("between two tokens when it is stopped", async () => {
    const { decoded } = await answering([0, 1, 2], { signal: AbortSignal.abort() });
    expect(await decoded()).toMatchObject({ stopReason: "stopped", outputTokens: 1 });
  });
});

test("it is timed from the first token to the last", async () => {
  const { decoded } = await answering([0, 1, 2, endToken]);
  const { firstTokenAtMs, lastTokenAtMs } = await decoded();
  expect(lastTokenAtMs - firstTokenAtMs).toBe(30);
});

describe("where jobs are done in order", () => {
  test("the choice is asked for while the token before it is computed, and the answer is the same", async () => {
    const tokens = [0, 1, endToken].values();
    const asked: string[] = [];
    const computed = Promise.withResolvers<number>();
    const { decoded, memory, text } = await answering([], {
      isOrdered: true,
      sample: () => {
        asked.push("sample");
        if (asked.length === 3) computed.resolve(0);
        return Promise.resolve(tokens.next().value ?? endToken);
      },
    });
    memory.computeToken = () => {
      asked.push("compute");
      return computed.promise;
    };
    expect(await decoded()).toMatchObject({ stopReason: "end", outputTokens: 2 });
    expect(asked).toEqual(["sample", "compute", "sample", "compute", "sample"]);
    expect(text.finish().answerTokens).toEqual([0, 1]);
  });

  test("a failed computation is what the answer fails with, once the sampler is free again", async () => {
    const chosen = Promise.withResolvers<number>();
    let samples = 0;
    const { decoded, memory } = await answering([], {
      isOrdered: true,
      sample: () => (++samples === 1 ? Promise.resolve(0) : chosen.promise),
    });
    memory.computeToken = () => Promise.reject(new Error("out of slots"));
    memory.clear = () => undefined;
    const answer = decoded().catch((error: unknown) => error);
    const winner = await Promise.race([answer, new Promise((resolve) => setImmediate(resolve, "still waiting"))]);
    expect(winner).toBe("still waiting");
    chosen.reject(new Error("no candidate token"));
    expect(await answer).toMatchObject({ message: "out of slots" });
  });
});

test("threads that wait for a core are given up on the way", async () => {
  const { decoded, memory, setThreads } = await answering(Array.from({ length: 12 }, () => 1));
  memory.tokenMs = 3_000;
  setThreads.mockImplementation((threads) => {
    if (threads === 2) memory.tokenMs = 12;
  });
  const { firstTokenAtMs, lastTokenAtMs } = await decoded();
  expect(setThreads.mock.calls).toEqual([[4], [2]]);
  expect(lastTokenAtMs - firstTokenAtMs).toBe(4 * 3_000 + 8 * 12);
});
