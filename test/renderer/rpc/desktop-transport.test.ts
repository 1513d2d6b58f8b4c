import { MessageChannel as NodeMessageChannel } from "node:worker_threads";
import { os } from "@orpc/server";
import { RPCHandler } from "@orpc/server/message-port";
import { expect, onTestFinished, test } from "vitest";
import { portMessage } from "../../../src-main/contract/desktop-bridge.ts";
import { settingsSchema } from "../../../src-main/contract/settings.ts";
import { desktopTransport } from "../../../src-renderer/rpc/desktop-transport.ts";

const settings = settingsSchema.parse({ theme: "dark" });

/** Main's end: answers on one port, and hands the other to the page the way the preload does. */
function bridge(data: unknown = portMessage) {
  const { port1, port2 } = new NodeMessageChannel();
  onTestFinished(() => {
    port1.close();
  });
  new RPCHandler({ settings: { get: os.handler(() => settings) } }).upgrade(port1);
  const connect = () => {
    const event = new MessageEvent("message", { data });
    Object.defineProperties(event, { source: { value: window }, ports: { value: [port2] } });
    window.dispatchEvent(event);
  };
  return { connect, port1 };
}

test("a call goes over the port that main sends, and the end of the port is noticed", async () => {
  const { connect, port1 } = bridge();
  const transport = await desktopTransport({ connect })(new AbortController().signal);
  expect(await transport.client.settings.get()).toEqual(settings);

  port1.close();
  await transport.closed;
});

test("a message of another name is not taken for it", async () => {
  const stop = new AbortController();
  const opening = desktopTransport({ connect: bridge("something else").connect })(stop.signal);
  stop.abort();
  await expect(opening).rejects.toThrow("given up");
});
