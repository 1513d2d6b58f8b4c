/**
 * Keeps one connection to Reprise alive: opens it, tries again with growing pauses when it is lost, and carries the
 * calls and watches of everything else over to the new one. Owns the transport; knows nothing of what is asked.
 */
import { ORPCError } from "@orpc/client";
import type { AppClient } from "../../src-main/contract/app-contract.ts";
import { RepriseError } from "../../src-main/contract/errors.ts";
import type { OpenTransport, Transport } from "../rpc/transport.ts";
import { retryDelayMs } from "../rpc/retry-delay.ts";
import { pause } from "./pause.ts";

export type ConnectionState =
  /** `attempts`: how many have failed since the page was opened. */
  | { readonly name: "connecting"; readonly attempts: number }
  | { readonly name: "open" }
  /** It was open before and is being opened again. */
  | { readonly name: "lost" }
  /** This tab was never given the token. */
  | { readonly name: "no-token" };

/** A stream of the contract that is to be followed for as long as somebody is interested. */
export interface Watch<Event> {
  open(client: AppClient, signal: AbortSignal): Promise<AsyncIterable<Event>>;
  onEvent(event: Event): void;
  /** The stream was refused or ended with a typed error. Returns whether to try again. */
  onError?(error: unknown): boolean;
}

export class Connection {
  #state = $state.raw<ConnectionState>({ name: "connecting", attempts: 0 });
  readonly #ended = new AbortController();
  #transport: Transport | null = null;
  #onOpen: readonly (() => void)[] = [];
  #retryNow: (() => void) | null = null;

  constructor(open: OpenTransport | null) {
    if (open === null) this.#state = { name: "no-token" };
    else void this.#keepOpen(open);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Does not wait for the next attempt. */
  retry(): void {
    this.#retryNow?.();
  }

  /** One call. Rejects with CONNECTION_LOST, or with what the contract says. */
  async call<Result>(use: (client: AppClient) => Promise<Result>): Promise<Result> {
    if (this.#transport === null) throw connectionLost(undefined);
    try {
      return await use(this.#transport.client);
    } catch (caught) {
      if (caught instanceof ORPCError) throw caught;
      throw connectionLost(caught);
    }
  }

  /** Follows a watch over every reconnection. Returns what ends it. */
  follow<Event>(watch: Watch<Event>): () => void {
    const stop = new AbortController();
    void this.#follow(watch, AbortSignal.any([stop.signal, this.#ended.signal]));
    return () => {
      stop.abort();
    };
  }

  close(): void {
    this.#ended.abort();
    this.#transport?.close();
  }

  async #keepOpen(open: OpenTransport): Promise<void> {
    const { signal } = this.#ended;
    for (let failures = 0; !signal.aborted; failures += 1) {
      if (failures > 0) await pause(retryDelayMs(failures), signal, (end) => (this.#retryNow = end));
      try {
        this.#transport = await open(signal);
      } catch {
        // Every way of failing looks the same from here, and the state already says that it is not open.
        if (this.#state.name === "connecting") this.#state = { name: "connecting", attempts: failures + 1 };
        continue;
      }
      failures = 0;
      this.#state = { name: "open" };
      for (const listener of this.#onOpen) listener();
      await this.#transport.closed;
      this.#transport = null;
      this.#state = { name: "lost" };
    }
  }

  async #follow<Event>(watch: Watch<Event>, signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      if (failures > 0) await pause(retryDelayMs(failures), signal);
      const client = await this.#opened(signal);
      if (client === null) return;
      try {
        for await (const event of await watch.open(client, signal)) {
          signal.throwIfAborted();
          failures = 0;
          watch.onEvent(event);
        }
      } catch (caught) {
        if (caught instanceof ORPCError && watch.onError?.(caught) === false) return;
      }
    }
  }

  /** The client as soon as there is one; `null` once `signal` aborts. */
  #opened(signal: AbortSignal): Promise<AppClient | null> {
    return new Promise((resolve) => {
      const settle = () => {
        if (this.#transport === null && !signal.aborted) return;
        this.#onOpen = this.#onOpen.filter((listener) => listener !== settle);
        signal.removeEventListener("abort", settle);
        resolve(signal.aborted ? null : (this.#transport?.client ?? null));
      };
      this.#onOpen = [...this.#onOpen, settle];
      signal.addEventListener("abort", settle);
      settle();
    });
  }
}

function connectionLost(cause: unknown): RepriseError {
  const sentence = "Reprise cannot be reached just now. What you wrote is kept; try again when the connection is back.";
  return new RepriseError("CONNECTION_LOST", sentence, {}, { cause });
}
