/** Waits, but no longer than until `signal` aborts. `onStart` is given what ends the wait early. */
export function pause(ms: number, signal: AbortSignal, onStart?: (end: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    onStart?.(end);
  });
}
