/**
 * Keeps one engine process alive: starts it when it is first needed, watches its heartbeat, and starts another one
 * when it is needed again after a crash. It owns the process and nothing that runs inside: which model is loaded, or
 * what was being generated, is for its users to find out from the calls that failed.
 */
import { setTimeout as delay } from "node:timers/promises";
import { RepriseError } from "../contract/errors.ts";
import { connectEngine, type EngineClient, type EngineConnection } from "./engine-connection.ts";
import type { LaunchEngine } from "./engine-process.ts";
import { startHeartbeat, type HeartbeatTiming } from "./heartbeat.ts";
import { countEarlyDeaths, restartDelayMs } from "./restart-backoff.ts";

interface RunningEngine {
  readonly client: EngineClient;
  readonly processId: number;
}

interface SupervisorOptions {
  readonly launch: LaunchEngine;
  readonly heartbeat?: HeartbeatTiming;
  /** How long a shutdown may take before the process is killed. */
  readonly shutdownMs?: number;
}

/** Loading native libraries from a cold disk holds the event loop of the engine up; half a minute of silence does not happen otherwise. */
const defaultHeartbeat: HeartbeatTiming = { intervalMs: 3_000, missesAllowed: 10 };
const defaultShutdownMs = 4_000;
/** A killed process is gone at once, unless the system holds it inside a device driver. */
const killedMs = 2_000;

export class EngineSupervisor {
  readonly #launch: LaunchEngine;
  readonly #heartbeat: HeartbeatTiming;
  readonly #shutdownMs: number;
  readonly #stopping = new AbortController();
  readonly #crashListeners = new Set<(cause: string) => void>();
  #engine: Promise<RunningEngine> | null = null;
  #connection: EngineConnection | null = null;
  #earlyDeaths = 0;

  constructor({ launch, heartbeat = defaultHeartbeat, shutdownMs = defaultShutdownMs }: SupervisorOptions) {
    this.#launch = launch;
    this.#heartbeat = heartbeat;
    this.#shutdownMs = shutdownMs;
  }

  /** The running engine, started if need be. Throws ENGINE_CRASHED when it dies while starting, ENGINE_STOPPED after `stop`. */
  engine(): Promise<RunningEngine> {
    if (this.#stopping.signal.aborted) return Promise.reject(engineStopped());
    return this.#engine ?? this.#startOnce();
  }

  /** Called with the cause each time the process ends without being asked to. Returns the unsubscriber. */
  onCrash(listener: (cause: string) => void): () => void {
    this.#crashListeners.add(listener);
    return () => this.#crashListeners.delete(listener);
  }

  /** Asks the process to shut down, waits, then kills. For good: there is no start after it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const connection = this.#connection;
    if (connection === null) return;
    const asked = connection.client.shutdown().then(
      () => connection.ended,
      () => connection.ended,
    );
    const given = new AbortController();
    const outcome = await Promise.race([
      asked.then(() => "ended" as const),
      delay(this.#shutdownMs, "late" as const, { signal: given.signal }).catch(() => "ended" as const),
    ]);
    given.abort();
    if (outcome === "ended") return;
    connection.kill("it did not shut down in time");
    await Promise.race([connection.ended, delay(killedMs, undefined, { ref: false })]);
  }

  #startOnce(): Promise<RunningEngine> {
    const starting = this.#start();
    this.#engine = starting;
    starting.catch(() => {
      if (this.#engine === starting) this.#engine = null;
    });
    return starting;
  }

  async #start(): Promise<RunningEngine> {
    await this.#waitBeforeStart();
    const process = this.#launch();
    const connection = connectEngine(process);
    this.#connection = connection;
    this.#watch(connection);
    const { pid } = await connection.client.ping().catch(async (error: unknown) => {
      connection.kill("it did not start properly");
      await connection.ended;
      throw error;
    });
    return { client: connection.client, processId: process.pid ?? pid };
  }

  async #waitBeforeStart(): Promise<void> {
    const { signal } = this.#stopping;
    const delayMs = restartDelayMs(this.#earlyDeaths);
    if (delayMs > 0) await delay(delayMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) throw engineStopped();
  }

  #watch(connection: EngineConnection): void {
    const startedAt = performance.now();
    const silentSeconds = Math.round((this.#heartbeat.intervalMs * this.#heartbeat.missesAllowed) / 1_000);
    const endHeartbeat = startHeartbeat(
      () => connection.client.ping(),
      this.#heartbeat,
      () => {
        connection.kill(`it did not answer for ${silentSeconds} seconds and was ended`);
      },
    );
    void connection.ended.then((cause) => {
      endHeartbeat();
      if (this.#connection === connection) {
        this.#connection = null;
        this.#engine = null;
      }
      if (this.#stopping.signal.aborted) return;
      this.#earlyDeaths = countEarlyDeaths(this.#earlyDeaths, performance.now() - startedAt);
      for (const listener of this.#crashListeners) listener(cause);
    });
  }
}

function engineStopped(): RepriseError<"ENGINE_STOPPED"> {
  return new RepriseError(
    "ENGINE_STOPPED",
    "Reprise is closing, so the engine was stopped. Everything written is kept.",
    {},
  );
}
