import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { measureThreads, type TunableContext } from "../../../../src-main/engine/tuning/measure-threads.ts";

interface Speed {
  readonly prefillMsPerToken: number;
  readonly decodeMs: number;
}

let cpuMicroseconds = 0;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  cpuMicroseconds = 0;
  const cpuUsage = (before?: NodeJS.CpuUsage) => ({ user: cpuMicroseconds - (before?.user ?? 0), system: 0 });
  vi.spyOn(process, "cpuUsage").mockImplementation(cpuUsage);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A context that takes as long as `speeds` says for its number of threads, each of which gets `share` of a core. */
class FakeContext implements TunableContext {
  readonly chunkTokens = 256;
  readonly contextTokens: number = 8_192;
  readonly firstPosition = null;
  readonly #speeds: Readonly<Record<number, Speed>>;
  readonly #share: number;
  threads = 0;
  cells = 0;
  computedTokens = 0;
  #busyAfterTokens = Infinity;

  constructor(speeds: Readonly<Record<number, Speed>>, share = 1) {
    this.#speeds = speeds;
    this.#share = share;
  }

  /** From then on every token takes a hundred times as long. */
  slowedAfter(tokens: number): this {
    this.#busyAfterTokens = tokens;
    return this;
  }

  setThreads(threads: number): void {
    this.threads = threads;
  }

  computeChunk(position: number, tokens: readonly number[]): Promise<number | null> {
    expect(position).toBe(this.cells);
    this.cells += tokens.length;
    return this.#take(tokens.length * (this.#speeds[this.threads]?.prefillMsPerToken ?? 0), tokens.length);
  }

  computeToken(position: number): Promise<number> {
    expect(position).toBe(this.cells);
    this.decodedBehind.push(this.cells);
    this.cells += 1;
    return this.#take(this.#speeds[this.threads]?.decodeMs ?? 0, 1);
  }

  /** Cells that were in place when a token was decoded, each time. */
  readonly decodedBehind: number[] = [];

  truncate(position: number): boolean {
    expect(position).toBeLessThanOrEqual(this.cells);
    this.cells = position;
    return true;
  }

  clear(): void {
    this.cells = 0;
  }

  #take(quietMs: number, tokens: number): Promise<number> {
    const elapsedMs = quietMs * (this.computedTokens >= this.#busyAfterTokens ? 100 : 1);
    vi.advanceTimersByTime(elapsedMs);
    cpuMicroseconds += elapsedMs * this.threads * this.#share * 1_000;
    this.computedTokens += tokens;
    return Promise.resolve(0);
  }
}

const options = { candidates: [1, 2], tokens: [5, 6, 7], signal: new AbortController().signal };

test("measures what each number of threads does, and leaves the cells empty", async () => {
  const context = new FakeContext({
    1: { prefillMsPerToken: 5, decodeMs: 10 },
    2: { prefillMsPerToken: 2, decodeMs: 8 },
  });
  expect(await measureThreads(context, options)).toEqual({
    prefill: 2,
    decode: 2,
    measured: [
      { threads: 1, prefillTokensPerSecond: 200, decodeTokensPerSecond: 100 },
      { threads: 2, prefillTokensPerSecond: 500, decodeTokensPerSecond: 125 },
    ],
  });
  expect(context.cells).toBe(0);
});

test("decodes in more rounds than it prefills, within the time it has", async () => {
  const context = new FakeContext({
    1: { prefillMsPerToken: 4, decodeMs: 5 },
    2: { prefillMsPerToken: 2, decodeMs: 4 },
  });
  const start = performance.now();
  await measureThreads(context, options);
  expect(performance.now() - start).toBeLessThan(2_700);
  // Three rounds of both with the 31 tokens that fit an eighth of a second, and twelve of decoding.
  expect(context.computedTokens).toBe(2 * 8 + 3 * 2 * 31 + 12 * 2 * 6 + 16 * 31);
  expect(context.decodedBehind.slice(0, 12)).toEqual([0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]);
  const depthTokens = 16 * 31 - 1;
  expect(new Set(context.decodedBehind.slice(12))).toEqual(
    new Set([0, 1, 2, 3, 4, 5].map((step) => depthTokens + step)),
  );
});

test("chooses the threads that are faster in a conversation, not at its first word", async () => {
  class DeepContext extends FakeContext {
    override computeToken(position: number): Promise<number> {
      if (this.threads === 1) vi.advanceTimersByTime(position / 250);
      return super.computeToken(position);
    }
  }
  const context = new DeepContext({
    1: { prefillMsPerToken: 4, decodeMs: 6 },
    2: { prefillMsPerToken: 2, decodeMs: 6 },
  });
  expect(await measureThreads(context, options)).toMatchObject({ decode: 2 });
});

test("measures at the beginning where the cells cannot be taken back, or there are hardly any", async () => {
  const speeds = { 1: { prefillMsPerToken: 4, decodeMs: 5 }, 2: { prefillMsPerToken: 2, decodeMs: 4 } };
  class RecurrentContext extends FakeContext {
    override truncate(): boolean {
      return false;
    }
  }
  class SmallContext extends FakeContext {
    override readonly contextTokens = 64;
  }
  for (const context of [new RecurrentContext(speeds), new SmallContext(speeds)]) {
    await measureThreads(context, options);
    expect(Math.max(...context.decodedBehind)).toBeLessThan(64);
  }
});

test("gives up threads that only wait for a core, without paying for all of their round", async () => {
  const context = new FakeContext({
    1: { prefillMsPerToken: 5, decodeMs: 10 },
    2: { prefillMsPerToken: 1_000, decodeMs: 2_000 },
  });
  const start = performance.now();
  expect(await measureThreads(context, options)).toMatchObject({ prefill: 1, decode: 1, underLoad: true });
  expect(performance.now() - start).toBeLessThan(6_000);
});

test("what it measured before the machine became busy still counts", async () => {
  const context = new FakeContext({
    1: { prefillMsPerToken: 5, decodeMs: 10 },
    2: { prefillMsPerToken: 3, decodeMs: 8 },
  });
  // Twice 8 to warm up; then a round of both: 6 tokens, and the 25 that fit an eighth of a second with one thread.
  const busyAfterTokens = 2 * 8 + 2 * (6 + 25);
  const tuning = await measureThreads(context.slowedAfter(busyAfterTokens), options);
  expect(tuning).toMatchObject({ prefill: 2, decode: 2, underLoad: true });
  expect(context.computedTokens).toBeGreaterThan(busyAfterTokens);
});

test("says so when other programs had the processor", async () => {
  const speeds = { 1: { prefillMsPerToken: 5, decodeMs: 10 }, 2: { prefillMsPerToken: 4, decodeMs: 9 } };
  expect(await measureThreads(new FakeContext(speeds, 0.6), options)).toMatchObject({ underLoad: true });
  expect(await measureThreads(new FakeContext(speeds, 0.95), options)).not.toHaveProperty("underLoad");
});

test("a large model is measured with few tokens", async () => {
  const large = new FakeContext({
    1: { prefillMsPerToken: 100, decodeMs: 300 },
    2: { prefillMsPerToken: 60, decodeMs: 200 },
  });
  await measureThreads(large, options);
  expect(large.computedTokens).toBeLessThan(100);
});

test("stops between two rounds when the load is given up", async () => {
  const controller = new AbortController();
  const context = new FakeContext({
    1: { prefillMsPerToken: 1, decodeMs: 1 },
    2: { prefillMsPerToken: 1, decodeMs: 1 },
  });
  controller.abort(new Error("never mind"));
  await expect(measureThreads(context, { ...options, signal: controller.signal })).rejects.toThrow("never mind");
});
