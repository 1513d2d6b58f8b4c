/** `promise`, given up with the signal's reason as soon as `signal` aborts. What was waited for goes on by itself. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const giveUp = () => {
    aborted.reject(signal.reason as Error);
  };
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp, { once: true });
  return Promise.race([promise, aborted.promise]).finally(() => {
    signal.removeEventListener("abort", giveUp);
  });
}
