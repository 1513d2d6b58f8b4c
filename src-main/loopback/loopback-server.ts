/**
 * The app on 127.0.0.1: the built renderer as files, and the app contract over a WebSocket at /rpc. It owns the
 * listening port, the token and every socket; it does not own the app behind the router.
 */
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Context, Router } from "@orpc/server";
import { RPCHandler } from "@orpc/server/ws";
import type { FastifyInstance } from "fastify";
import { WebSocketServer, type WebSocket } from "ws";
import type { appContract } from "../contract/app-contract.ts";
import { RepriseError } from "../contract/errors.ts";
import { newToken, refuseUpgrade, type Refusal } from "./access.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { rpcSocket } from "./rpc-socket.ts";
import { createWebServer } from "./web-server.ts";

export interface LoopbackOptions {
  readonly router: Router<typeof appContract, Context>;
  /** The built renderer; `null` serves the WebSocket only. */
  readonly rendererFolder: string | null;
  /** 0 or absent: any free port. */
  readonly port?: number;
  /** How often each socket must prove that it is alive. */
  readonly heartbeatMs?: number;
}

export interface LoopbackServer {
  /** `http://127.0.0.1:PORT`, without the token. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** Stops listening and ends every socket, in about a second at most. */
  close(): Promise<void>;
}

const defaultHeartbeatMs = 15_000;
/** Room for a pasted book; a call has no business being larger. */
const maximumMessageBytes = 8 * 1024 * 1024;
const farewellMs = 500;
const goingAway = 1001;
const statusTexts = { 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found" } as const;

/** Throws INVALID_INPUT where the port cannot be had. */
export async function startLoopbackServer(options: LoopbackOptions): Promise<LoopbackServer> {
  const token = newToken();
  const web = await createWebServer(options.rendererFolder);
  const port = await listen(web, options.port ?? 0);
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maximumMessageBytes, perMessageDeflate: false });
  const handler = new RPCHandler(options.router);
  sockets.on("connection", (socket: WebSocket) => {
    // A broken frame closes the socket by itself; without a listener it would end the process.
    socket.on("error", () => {
      socket.terminate();
    });
    void handler.upgrade(rpcSocket(socket), { context: {} });
  });
  web.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { host, origin } = request.headers;
    const refusal = refuseUpgrade({ url: request.url, host, origin }, port, token);
    if (refusal !== null) refuse(socket, refusal);
    else sockets.handleUpgrade(request, socket, head, (accepted) => sockets.emit("connection", accepted, request));
  });
  const stopHeartbeat = startHeartbeat(sockets.clients, options.heartbeatMs ?? defaultHeartbeatMs);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    token,
    close: async () => {
      stopHeartbeat();
      // From here on `handleUpgrade` answers 503.
      sockets.close();
      await endSockets(sockets.clients);
      await web.close();
    },
  };
}

async function listen(web: FastifyInstance, port: number): Promise<number> {
  try {
    await web.listen({ host: "127.0.0.1", port });
  } catch (caught) {
    await web.close();
    const reason = caught instanceof Error ? caught.message : String(caught);
    throw new RepriseError(
      "INVALID_INPUT",
      `Port ${port} cannot be used (${reason}). Choose another one, or name none to get a free one.`,
      { reason },
      { cause: caught },
    );
  }
  return (web.server.address() as AddressInfo).port;
}

function refuse(socket: Duplex, { status, reason }: Refusal): void {
  const head = `HTTP/1.1 ${status} ${statusTexts[status]}\r\nConnection: close\r\nContent-Type: text/plain\r\n`;
  // The other end may be gone already; there is nobody left to tell.
  socket.on("error", () => socket.destroy());
  socket.end(`${head}Content-Length: ${Buffer.byteLength(reason)}\r\n\r\n${reason}`, () => socket.destroy());
}

/** Says goodbye to each, and ends those that do not answer in time. */
async function endSockets(sockets: ReadonlySet<WebSocket>): Promise<void> {
  const closed = [...sockets].map((socket) => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    socket.once("close", () => {
      resolve(undefined);
    });
    socket.close(goingAway, "Reprise was closed");
    return promise;
  });
  const impatience = setTimeout(() => {
    for (const socket of sockets) socket.terminate();
  }, farewellMs);
  await Promise.all(closed);
  clearTimeout(impatience);
}
