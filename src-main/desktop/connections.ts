/**
 * Connects pages to the app: each page load that asks gets a message port of its own with the whole app contract
 * behind it. When the page goes, however it goes, its end of the port is gone with it; the port's close event then
 * ends every stream the page was reading.
 */
import type { Context, Router } from "@orpc/server";
import { RPCHandler } from "@orpc/server/message-port";
import type { IpcMain, IpcMainEvent } from "electron";
import { MessageChannelMain } from "electron";
import type { appContract } from "../contract/app-contract.ts";
import { portMessage } from "../contract/desktop-bridge.ts";
import { connectChannel } from "./channels.ts";
import { isOwnPage } from "./security.ts";

/** Only the own page in a main frame is answered. */
export function isFromOwnPage(event: Pick<IpcMainEvent, "senderFrame">, devServer: string | null): boolean {
  const frame = event.senderFrame;
  return frame !== null && frame.parent === null && isOwnPage(frame.url, devServer);
}

export function connectPages(
  ipc: IpcMain,
  router: Router<typeof appContract, Context>,
  devServer: string | null,
): void {
  const handler = new RPCHandler(router);
  ipc.on(connectChannel, (event) => {
    if (!isFromOwnPage(event, devServer)) return;
    const { port1, port2 } = new MessageChannelMain();
    handler.upgrade(port1, { context: {} });
    port1.start();
    event.senderFrame?.postMessage(portMessage, null, [port2]);
  });
}
