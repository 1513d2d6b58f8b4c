import type { EngineClient } from "./ports.ts";

/** Wants to know what becomes of the engine. */
export interface EngineObserver {
  readonly started?: () => void;
  /** It has kv.db open, for the first time since it was started. */
  readonly cacheOpened?: (client: EngineClient) => void;
  readonly loaded?: () => void;
  /** It crashed or was stopped. */
  readonly lost?: () => void;
}
