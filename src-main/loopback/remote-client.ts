/** The running app as another process sees it: its contract over a WebSocket, for the command line. */
import { createORPCClient, mapEventIterator, ORPCError } from "@orpc/client";
import { RPCLink } from "@orpc/client/websocket";
import { WebSocket } from "ws";
import type { AppClient } from "../contract/app-contract.ts";
import { RepriseError } from "../contract/errors.ts";
import type { Instance } from "./instance-file.ts";

export interface RemoteApp {
  readonly client: AppClient;
  close(): void;
}

/**
 * Connects to the app an instance file tells of; `null` where none answers there. Once connected, everything that is
 * open when the connection ends, and every later call, rejects with CONNECTION_LOST.
 */
export async function connectToInstance(instance: Instance, timeoutMs: number): Promise<RemoteApp | null> {
  const address = `${instance.url.replace(/^http/, "ws")}/rpc?token=${encodeURIComponent(instance.token)}`;
  if (!URL.canParse(address)) return null;
  const socket = new WebSocket(address, { handshakeTimeout: timeoutMs, perMessageDeflate: false });
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once("open", () => {
      resolve(true);
    });
    socket.once("close", () => {
      resolve(false);
    });
    // The close event that always follows is what decides.
    socket.on("error", () => undefined);
  });
  if (!isOpen) return null;
  return {
    client: clientOver(socket),
    close: () => {
      socket.close();
    },
  };
}

function clientOver(socket: WebSocket): AppClient {
  const translate = (caught: unknown) =>
    caught instanceof ORPCError || socket.readyState === WebSocket.OPEN ? caught : connectionLost(caught);
  const link = new RPCLink({
    websocket: socket as unknown as globalThis.WebSocket,
    interceptors: [
      async (call) => {
        try {
          const output = await call.next();
          return isStream(output)
            ? mapEventIterator(output, {
                value: (value) => Promise.resolve(value),
                error: (error) => Promise.resolve(translate(error)),
              })
            : output;
        } catch (caught) {
          throw translate(caught);
        }
      },
    ],
  });
  return createORPCClient(link);
}

function isStream(output: unknown): output is AsyncIterator<unknown> {
  return typeof output === "object" && output !== null && Symbol.asyncIterator in output;
}

function connectionLost(cause: unknown): RepriseError {
  return new RepriseError(
    "CONNECTION_LOST",
    "The connection to the running Reprise was lost. What it had stored is kept; start it again and go on.",
    {},
    { cause },
  );
}
