import { createORPCClient } from "@orpc/client";
import { RPCLink } from "@orpc/client/message-port";
import { portMessage, type DesktopBridge } from "../../src-main/contract/desktop-bridge.ts";
import type { AppClient } from "../../src-main/contract/app-contract.ts";
import type { OpenTransport } from "./transport.ts";

/** The desktop window's connection: a message port that the preload passes on from the main process. */
export function desktopTransport(bridge: Pick<DesktopBridge, "connect">): OpenTransport {
  return async (signal) => {
    const arriving = nextPort(signal);
    bridge.connect();
    const port = await arriving;
    const closed = new Promise<void>((resolve) => {
      port.addEventListener("close", () => {
        resolve();
      });
      signal.addEventListener("abort", () => {
        resolve();
      });
    });
    const client = createORPCClient<AppClient>(new RPCLink({ port }));
    port.start();
    const close = () => {
      port.close();
    };
    signal.addEventListener("abort", close, { once: true });
    return { client, closed, close };
  };
}

/** The first port that the preload hands over. Messages of other origin have no port and another name. */
function nextPort(signal: AbortSignal): Promise<MessagePort> {
  return new Promise((resolve, reject) => {
    const done = new AbortController();
    const listen = { signal: done.signal };
    window.addEventListener(
      "message",
      (event: MessageEvent<unknown>) => {
        const [port] = event.ports;
        if (event.source !== window || event.data !== portMessage || port === undefined) return;
        done.abort();
        resolve(port);
      },
      listen,
    );
    signal.addEventListener(
      "abort",
      () => {
        done.abort();
        reject(new Error("Connecting was given up."));
      },
      listen,
    );
  });
}
