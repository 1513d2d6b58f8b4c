import { once } from "node:events";
import type { MessagePort } from "node:worker_threads";
import { createORPCClient } from "@orpc/client";
import { RPCLink } from "@orpc/client/message-port";
import { implement } from "@orpc/server";
import { expect, onTestFinished, test, vi } from "vitest";
import { appContract, type AppClient } from "../../../src-main/contract/app-contract.ts";
import { portMessage } from "../../../src-main/contract/desktop-bridge.ts";
import { settingsSchema } from "../../../src-main/contract/settings.ts";
import { connectPages } from "../../../src-main/desktop/connections.ts";
import * as electron from "../../helpers/fake-electron.ts";

vi.mock("electron", () => import("../../helpers/fake-electron.ts"));

const settings = settingsSchema.parse({ theme: "dark" });
const watched = Promise.withResolvers<AbortSignal>();
const { settings: procedures } = implement(appContract);
const router = {
  settings: {
    get: procedures.get.handler(() => settings),
    watch: procedures.watch.handler(async function* ({ signal }) {
      if (signal === undefined) throw new Error("A stream must be told when its reader goes.");
      watched.resolve(signal);
      yield settings;
      await once(signal, "abort");
    }),
  },
};

/** A page that asks main for a connection. `null` where it got none. */
function connect(frame: { url: string; parent: object | null } | null): MessagePort | null {
  electron.ipcMain.removeAllListeners();
  connectPages(electron.ipcMain as never, router as never, null);
  const postMessage = vi.fn();
  const senderFrame = frame === null ? null : { ...frame, postMessage };
  electron.ipcMain.emit("reprise:connect", { senderFrame, sender: new electron.FakeWebContents() });
  const [call] = postMessage.mock.calls as [string, unknown, [{ port: MessagePort }]][];
  if (call === undefined) return null;
  const [message, , [{ port }]] = call;
  expect(message).toBe(portMessage);
  onTestFinished(() => {
    port.close();
  });
  return port;
}

const ownFrame = { url: "app://reprise/index.html", parent: null };

function clientOf(port: MessagePort | null): AppClient {
  if (port === null) throw new Error("The page was not connected.");
  return createORPCClient(new RPCLink({ port: port }));
}

test("the own page gets a port with the app behind it", async () => {
  expect(await clientOf(connect(ownFrame)).settings.get()).toEqual(settings);
});

test.each([
  { url: "https://example.org/", parent: null },
  { url: "app://other/index.html", parent: null },
  { url: "app://reprise/index.html", parent: {} },
  null,
])("nothing is given to the frame %j", (frame) => {
  expect(connect(frame)).toBeNull();
});

test("what a page was reading ends when the page goes", async () => {
  const port = connect(ownFrame);
  const stream = await clientOf(port).settings.watch();
  expect(await stream.next()).toMatchObject({ value: settings });
  const signal = await watched.promise;
  const aborted = once(signal, "abort");
  port?.close();
  await aborted;
  expect(signal.aborted).toBe(true);
});
