/**
 * The models in memory: one is active, the others are there to go on at once. It owns them, who of them is active, and
 * in which order they were used. All of it happens in a turn of its own: nothing must be computed meanwhile.
 */
import type { LoadInput } from "../contract/engine-contract.ts";
import { memoryReserve } from "../contract/machine-fit.ts";
import type { EngineCache } from "./engine-cache.ts";
import { freeMemory } from "./llama/free-memory.ts";
import { loadNeeds } from "./llama/load-needs.ts";
import type { LoadedLlama } from "./llama/load-llama.ts";
import { memoryError } from "./llama/load-weights.ts";
import { ModelSession, type LoadCall } from "./model-session.ts";
import { OthersOfModel } from "./others-of-model.ts";
import { residentKey, type KeyedModel } from "./resident-key.ts";
import { totalModelBytes } from "./resident-model.ts";
import type { FreeMemory } from "./sizing/context-room.ts";
import { planRelease, planResidents, type ResidentFacts, type ResidentPlan } from "./sizing/plan-residents.ts";

interface Surroundings {
  readonly library: () => Promise<LoadedLlama>;
  readonly cache: EngineCache;
}

interface Entry {
  readonly key: string | null;
  readonly session: ModelSession;
}

export class ResidentModels {
  readonly #library: () => Promise<LoadedLlama>;
  readonly #cache: EngineCache;
  /** Once something was loaded: also while the engine shuts down. */
  #llama: LoadedLlama | null = null;
  /** The one used last is the last. */
  #entries: readonly Entry[] = [];
  #active: ModelSession | null = null;
  /** Must not be closed: somebody computes with them. */
  readonly #held = new Set<ModelSession>();

  constructor({ library, cache }: Surroundings) {
    this.#library = library;
    this.#cache = cache;
  }

  get active(): ModelSession | null {
    return this.#active;
  }

  /** The active one first, then the one used last. */
  get all(): readonly ModelSession[] {
    const sessions = this.#entries.map(({ session }) => session).reverse();
    return sessions.toSorted((one, other) => Number(other === this.#active) - Number(one === this.#active));
  }

  /** With the same content and options as it would be loaded with now; `null` where it is not in memory. */
  find(model: KeyedModel): ModelSession | null {
    const key = residentKey(model);
    return key === null ? null : (this.#entries.find((entry) => entry.key === key)?.session ?? null);
  }

  /** Makes a model the active one; loads it where it is not in memory. When that fails, none is active. */
  async activate(input: LoadInput, call: LoadCall): Promise<ModelSession> {
    const before = this.#active;
    this.#active = null;
    if (before !== null) await this.#save(before);
    try {
      const session = await this.#require(input, call);
      this.#active = session;
      return session;
    } finally {
      this.#cache.changed();
    }
  }

  /**
   * Runs `use` with several models in memory at once, in the order of the inputs; none of them makes way meanwhile. The
   * first is the active one from then on. Throws what loading throws, and ENGINE_FAILED (memory) where they do not fit
   * beside each other.
   */
  async withModels<Result>(
    inputs: readonly [LoadInput, ...LoadInput[]],
    call: LoadCall,
    use: (sessions: readonly ModelSession[]) => Promise<Result>,
  ): Promise<Result> {
    const [first, ...others] = inputs;
    const sessions = [await this.activate(first, call)];
    try {
      for (const input of others) {
        for (const session of sessions) this.#held.add(session);
        sessions.push(await this.#require(input, call));
      }
      for (const session of sessions) this.#held.add(session);
      this.#cache.changed();
      const result = await use(sessions);
      for (const session of sessions) if (session !== this.#active) await this.#save(session);
      return result;
    } finally {
      this.#held.clear();
    }
  }

  /** What would become of the models in memory if this one were loaded. `bytes`: what it takes; `null` where nobody knows. */
  async planFor(bytes: number | null): Promise<ResidentPlan<ModelSession>> {
    const { freeBytes, totalBytes } = await this.#memory();
    const reserveBytes = memoryReserve(totalBytes);
    return planResidents({ neededBytes: bytes, freeBytes, reserveBytes, residents: this.#closable(null) });
  }

  /** Where memory is short, those that are not active make way. */
  async relieve(): Promise<void> {
    if (this.#closable(this.#active).length === 0) return;
    const { freeBytes, totalBytes } = await this.#memory();
    await this.#release(memoryReserve(totalBytes) - freeBytes, this.#active);
  }

  /** Removes a conversation from the cells of all. */
  async forget(conversationId: string): Promise<void> {
    for (const { session } of this.#entries) await session.cache.forget(conversationId);
  }

  /** What is in place goes to the store first. */
  async closeAll(): Promise<void> {
    for (const { session } of this.#entries) await this.#close(session);
  }

  async #require(input: LoadInput, call: LoadCall): Promise<ModelSession> {
    const llama = (this.#llama ??= await this.#library());
    // What is stored elsewhere is of no use to what is loaded here.
    if (!this.#cache.isOpenAt(input.cacheFolder)) await this.closeAll();
    const surroundings = this.#cache.open(input);
    const known = this.find(input);
    known?.useTemplate(input.chatTemplate ?? null);
    const session = known ?? (await this.#load(llama, input, surroundings, call));
    const others = this.#entries.filter((entry) => entry.session !== session);
    this.#entries = [...others, { key: residentKey(input), session }];
    return session;
  }

  async #load(
    llama: LoadedLlama,
    input: LoadInput,
    surroundings: ReturnType<EngineCache["open"]>,
    call: LoadCall,
  ): Promise<ModelSession> {
    if (this.#entries.length > 0) await this.#makeWay(llama, input);
    const others = new OthersOfModel({
      sessions: () => this.all,
      closable: (own) => this.#closable(own),
      release: (bytes, own) => this.#release(bytes, own),
    });
    const session = await ModelSession.load(llama, input, { ...surroundings, others }, call);
    others.own = session;
    return session;
  }

  async #makeWay({ llama }: LoadedLlama, { path, options }: KeyedModel): Promise<void> {
    const { close, isFitting } = await this.planFor(loadNeeds(llama, path, options).bytes);
    for (const session of close) await this.#close(session);
    if (!isFitting && this.#held.size > 0) throw memoryError(path, new Error("it does not fit beside the other model"));
  }

  /** The one longest unused first. `own`: is not meant. */
  #closable(own: ModelSession | null): ResidentFacts<ModelSession>[] {
    return this.#entries
      .map(({ session }) => session)
      .filter((session) => session !== own && !this.#held.has(session))
      .map((session) => ({ id: session, bytes: totalModelBytes(session) }));
  }

  async #release(bytes: number, own: ModelSession | null): Promise<void> {
    for (const session of planRelease(bytes, this.#closable(own))) await this.#close(session);
  }

  async #memory(): Promise<FreeMemory> {
    const given = this.#cache.givenMemory;
    if (given !== null) return given();
    const { llama } = this.#llama ?? (await this.#library());
    const mappedBytes = this.#entries.reduce((sum, { session }) => sum + session.model.mappedBytes, 0);
    return await freeMemory(llama, mappedBytes);
  }

  async #save(session: ModelSession): Promise<void> {
    while (await session.cache.saveStep());
    session.surroundings.store.writeLate();
  }

  async #close(session: ModelSession): Promise<void> {
    await this.#save(session);
    session.cache.leave();
    if (this.#active === session) this.#active = null;
    this.#entries = this.#entries.filter((entry) => entry.session !== session);
    await session[Symbol.asyncDispose]();
    this.#cache.changed();
  }
}
