/**
 * What the KV cache holds, in place and stored. Owns the state main last sent, which conversation is being put in place,
 * and the checks that a person started; decides nothing about what is kept.
 */
import type { CacheState, Residency, SelfTestResult, VerifyResult } from "../../src-main/contract/cache.ts";
import type { Connection } from "./connection.svelte.ts";
import type { Problems } from "./problems.svelte.ts";
import { Task } from "./task.svelte.ts";

/** A result, and the conversation it is about. */
interface SelfTest {
  readonly conversationId: string;
  readonly result: SelfTestResult;
}

export class Cache {
  #state = $state.raw<CacheState | null>(null);
  #warmingId = $state.raw<string | null>(null);
  readonly #connection: Connection;
  readonly #problems: Problems;
  readonly verification: Task<VerifyResult>;
  readonly selfTest: Task<SelfTest>;

  constructor(connection: Connection, problems: Problems) {
    this.#connection = connection;
    this.#problems = problems;
    this.verification = new Task(problems);
    this.selfTest = new Task(problems);
    connection.follow<CacheState>({
      open: (client, signal) => client.cache.watch(undefined, { signal }),
      onEvent: (state) => {
        this.#state = state;
      },
    });
  }

  /** `null` until it has arrived for the first time. */
  get state(): CacheState | null {
    return this.#state;
  }

  /** The conversation that is being put in place. */
  get warmingId(): string | null {
    return this.#warmingId;
  }

  /** `null`: it is neither in place nor stored, or that is not known yet. */
  residencyOf(conversationId: string): Residency | null {
    return this.#state?.residency.find((residency) => residency.conversationId === conversationId) ?? null;
  }

  /** Puts a conversation in place before it is needed. Returns whether an answer was in the way. */
  async warm(conversationId: string): Promise<boolean> {
    this.#warmingId = conversationId;
    // Nothing is lost where it fails: the next message restores or computes the same, and tells what is wrong.
    const [warmed] = await Promise.allSettled([
      this.#connection.call((client) => client.chat.warm({ conversationId })),
    ]);
    if (this.#warmingId === conversationId) this.#warmingId = null;
    return warmed.status === "fulfilled" && warmed.value.isInterrupted;
  }

  verify(): Promise<void> {
    return this.verification.run(() => this.#connection.call((client) => client.cache.verify()));
  }

  testItself(conversationId: string): Promise<void> {
    return this.selfTest.run(async () => ({
      conversationId,
      result: await this.#connection.call((client) => client.cache.selfTest({ conversationId })),
    }));
  }

  async clear(): Promise<void> {
    this.verification.forget();
    this.selfTest.forget();
    await this.#problems.attempt(this.#connection.call((client) => client.cache.clear()));
  }
}
