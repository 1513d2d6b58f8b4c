import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { WebSocket, type ClientOptions } from "ws";
import { connectToInstance, type RemoteApp } from "../../../src-main/loopback/remote-client.ts";
import { type LoopbackServer, startLoopbackServer } from "../../../src-main/loopback/loopback-server.ts";
import { createTestApp, testStatus, type TestApp } from "./test-app.ts";

let app: TestApp;
let server: LoopbackServer;

beforeEach(async () => {
  app = createTestApp();
  server = await startLoopbackServer({ router: app.router, rendererFolder: null, heartbeatMs: 20 });
});
afterEach(() => server.close());

async function connected(): Promise<RemoteApp> {
  const remote = await connectToInstance({ ...server, pid: process.pid, startedAt: 0 }, 5_000);
  if (remote === null) throw new Error("the server did not answer");
  return remote;
}

/** Resolves with the HTTP status of a refused upgrade. */
function refusedUpgrade(path: string, options: ClientOptions = {}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, options);
    socket.on("open", () => {
      reject(new Error("it was accepted"));
    });
    socket.on("unexpected-response", (_request, response) => {
      resolve(response.statusCode);
    });
    socket.on("error", reject);
  });
}

async function openSocket(options: ClientOptions = {}): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/rpc?token=${server.token}`, options);
  await new Promise((resolve) => socket.once("open", resolve));
  return socket;
}

const closeCode = (socket: WebSocket) => new Promise<number>((resolve) => socket.once("close", resolve));

describe("the connection", () => {
  test("carries calls", async () => {
    const remote = await connected();
    expect(await remote.client.status.get()).toEqual(testStatus);
    remote.close();
  });

  test("carries errors with their code, sentence and data", async () => {
    const remote = await connected();
    await expect(remote.client.conversations.get({ conversationId: "abc" })).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: "There is no conversation abc.",
      data: { what: "conversation", id: "abc" },
    });
    remote.close();
  });

  test("carries streams, which end on the server when the reader leaves", async () => {
    const remote = await connected();
    for await (const status of await remote.client.status.watch()) {
      expect(status).toEqual(testStatus);
      break;
    }
    await app.streamEnded;
    remote.close();
  });

  test("ends its streams on the server when the socket is gone", async () => {
    const remote = await connected();
    await (await remote.client.status.watch()).next();
    remote.close();
    await app.streamEnded;
  });

  test("is refused without the token, for a foreign Host and for a foreign Origin", async () => {
    expect(await refusedUpgrade("/rpc")).toBe(401);
    expect(await refusedUpgrade("/rpc?token=wrong")).toBe(401);
    const path = `/rpc?token=${server.token}`;
    expect(await refusedUpgrade(path, { headers: { host: `evil.example:${server.port}` } })).toBe(403);
    expect(await refusedUpgrade(path, { origin: "http://evil.example" })).toBe(403);
    expect(await refusedUpgrade(`/other?token=${server.token}`)).toBe(404);
  });

  test("is welcome from the page's own origin", async () => {
    const socket = await openSocket({ origin: server.url });
    socket.close();
    expect(await closeCode(socket)).toBe(1005);
  });
});

describe("a socket that misbehaves", () => {
  test("is closed for a frame that is no call, and nothing is printed", async () => {
    const printed = vi.spyOn(console, "error");
    const socket = await openSocket();
    socket.send("hello");
    expect(await closeCode(socket)).toBe(1003);
    expect(printed).not.toHaveBeenCalled();
  });

  test("gets an error for a call with a body that cannot be read, and nothing is printed", async () => {
    const printed = vi.spyOn(console, "error");
    const socket = await openSocket();
    const answer = new Promise<string>((resolve) =>
      socket.once("message", (data: Buffer) => {
        resolve(data.toString());
      }),
    );
    socket.send('{"i":"1","p":{"u":"/conversations/get","b":{"json":1,"meta":7}}}');
    expect(JSON.parse(await answer)).toMatchObject({ p: { s: 400 } });
    expect(printed).not.toHaveBeenCalled();
    socket.close();
  });

  test("is closed for a message over the limit", async () => {
    const socket = await openSocket();
    socket.send("x".repeat(9 * 1024 * 1024));
    expect(await closeCode(socket)).toBe(1009);
  });

  test("is closed when it does not answer the heartbeat", async () => {
    const socket = await openSocket({ autoPong: false });
    expect(await closeCode(socket)).toBe(1006);
  });

  test("stays open while it answers the heartbeat", async () => {
    const socket = await openSocket();
    const beats = vi.fn();
    socket.on("ping", beats);
    await vi.waitFor(() => {
      expect(beats.mock.calls.length).toBeGreaterThan(3);
    });
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.close();
  });
});

describe("closing the server", () => {
  test("rejects what a client has open with a sentence, and every later call", async () => {
    const { client } = await connected();
    const stream = await client.status.watch();
    await stream.next();
    const waiting = stream.next();
    await Promise.all([server.close(), expect(waiting).rejects.toMatchObject({ code: "CONNECTION_LOST" })]);
    await expect(client.status.get()).rejects.toMatchObject({
      code: "CONNECTION_LOST",
      message: expect.stringMatching(/^The connection .*\.$/) as string,
    });
    await expect(client.status.watch()).rejects.toMatchObject({ code: "CONNECTION_LOST" });
  });

  test("does not wait for a socket that never says goodbye, nor for a request that never ends", async () => {
    const silent = connect(server.port, "127.0.0.1");
    silent.write(
      `GET /rpc?token=${server.token} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nUpgrade: websocket\r\n` +
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    await new Promise((resolve) => silent.once("data", resolve));
    const halfRequest = connect(server.port, "127.0.0.1");
    await new Promise((resolve) => halfRequest.once("connect", resolve));
    halfRequest.write("GET / HTTP/1.1\r\n");
    const ended = [silent, halfRequest].map((socket) => {
      socket.on("error", () => undefined);
      return new Promise((resolve) => socket.once("close", resolve));
    });
    await server.close();
    await Promise.all(ended);
  });

  test("frees the port", async () => {
    await server.close();
    const successor = await startLoopbackServer({ router: app.router, rendererFolder: null, port: server.port });
    expect(successor.port).toBe(server.port);
    await successor.close();
  });
});

describe("connecting", () => {
  const instance = () => ({ ...server, pid: process.pid, startedAt: 0 });

  test("finds nobody where the app of an old file is gone", async () => {
    await server.close();
    expect(await connectToInstance(instance(), 5_000)).toBeNull();
  });

  test("finds nobody where another app listens on the port of an old file", async () => {
    expect(await connectToInstance({ ...instance(), token: "of yesterday" }, 5_000)).toBeNull();
  });

  test("finds nobody at an address that is none", async () => {
    expect(await connectToInstance({ ...instance(), url: "nonsense" }, 5_000)).toBeNull();
  });
});
