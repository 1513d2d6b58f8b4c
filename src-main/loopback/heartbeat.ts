/** Closes sockets whose other end is gone without a word: one that missed a whole beat is terminated. */
import type { WebSocket } from "ws";

/** Returns what stops it. */
export function startHeartbeat(sockets: ReadonlySet<WebSocket>, intervalMs: number): () => void {
  const unanswered = new WeakSet<WebSocket>();
  const timer = setInterval(() => {
    for (const socket of sockets) {
      if (unanswered.has(socket)) {
        socket.terminate();
        continue;
      }
      unanswered.add(socket);
      socket.once("pong", () => unanswered.delete(socket));
      socket.ping();
    }
  }, intervalMs);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}
