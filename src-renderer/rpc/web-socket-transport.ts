import { createORPCClient } from "@orpc/client";
import { RPCLink } from "@orpc/client/websocket";
import type { AppClient } from "../../src-main/contract/app-contract.ts";
import type { OpenTransport } from "./transport.ts";

/** A browser tab's connection to the loopback server that served it. */
export function webSocketTransport(page: Pick<Location, "protocol" | "host">, token: string): OpenTransport {
  const address = new URL(`${page.protocol === "https:" ? "wss:" : "ws:"}//${page.host}/rpc`);
  address.searchParams.set("token", token);
  return async (signal) => {
    const socket = new WebSocket(address);
    const closed = new Promise<void>((resolve) => {
      socket.addEventListener("close", () => {
        resolve();
      });
    });
    const close = () => {
      socket.close();
    };
    signal.addEventListener("abort", close, { once: true });
    await Promise.race([opened(socket), closed.then(() => Promise.reject(new Error("The connection was refused.")))]);
    return { client: createORPCClient<AppClient>(new RPCLink({ websocket: socket })), closed, close };
  };
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    socket.addEventListener("open", () => {
      resolve();
    });
  });
}
