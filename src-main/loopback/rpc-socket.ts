/** Fits a WebSocket to oRPC's handler: bad frames never reach it, and a slow reader slows the stream it reads. */
import { z } from "zod";
import type { WebSocket } from "ws";

/** What the handler takes from a socket. It awaits what `send` returns. */
export type RpcSocket = Pick<WebSocket, "addEventListener" | "send">;

/** oRPC's envelope: `i` names the call, `t: 4` aborts it. No call carries headers or a stream, so none is let in. */
const envelopeSchema = z.union([
  z.strictObject({
    i: z.string().min(1),
    p: z.strictObject({ u: z.string().regex(/^\/[\w/]*$/), b: z.unknown().optional() }),
  }),
  z.strictObject({ i: z.string().min(1), t: z.literal(4), p: z.undefined().optional() }),
]);

/** The contract has no binary values, so a frame is one JSON text. */
export function isRpcFrame(data: unknown): boolean {
  if (typeof data !== "string") return false;
  try {
    return envelopeSchema.safeParse(JSON.parse(data)).success;
  } catch {
    return false;
  }
}

const unsupportedData = 1003;

export function rpcSocket(socket: WebSocket): RpcSocket {
  // A failed write needs no word of its own: the socket's close event follows and ends the calls.
  const send = (message: string) =>
    new Promise<void>((resolve) => {
      socket.send(message, () => {
        resolve();
      });
    });
  return {
    addEventListener: ((type: "message" | "close", listener: (event: unknown) => void) => {
      if (type === "close") {
        socket.addEventListener("close", listener);
        return;
      }
      socket.addEventListener("message", (event) => {
        if (isRpcFrame(event.data)) listener(event);
        else socket.close(unsupportedData, "not a call");
      });
    }) as WebSocket["addEventListener"],
    send: send as WebSocket["send"],
  };
}
