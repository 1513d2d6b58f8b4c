export interface HeartbeatTiming {
  readonly intervalMs: number;
  /** So many beats in a row without an answer mean that the process hangs. */
  readonly missesAllowed: number;
}

/**
 * Asks every `intervalMs` for a sign of life. Misses are counted in beats of our own timer and not in wall time:
 * a laptop that slept for an hour, or a main process that was held up, must not look like a hung engine.
 * Returns the function that ends it.
 */
export function startHeartbeat(ping: () => Promise<unknown>, timing: HeartbeatTiming, onHung: () => void): () => void {
  let waiting = false;
  let misses = 0;
  const answered = () => {
    waiting = false;
    misses = 0;
  };
  const beat = () => {
    if (!waiting) {
      waiting = true;
      // An answer with an error is a sign of life too; a process that ended is told by its exit.
      void ping().then(answered, answered);
      return;
    }
    misses += 1;
    if (misses < timing.missesAllowed) return;
    clearInterval(timer);
    onHung();
  };
  const timer = setInterval(beat, timing.intervalMs);
  timer.unref();
  beat();
  return () => {
    clearInterval(timer);
  };
}
