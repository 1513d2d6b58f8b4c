/** The pages of the app over HTTP: the built renderer's files and nothing else, to this machine's own addresses only. */
import fastifyStatic from "@fastify/static";
import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import { isOwnHost } from "./access.ts";
import { securityHeaders } from "./security-headers.ts";

/** Ready to listen. `rendererFolder` null: every address is refused or unknown. */
export async function createWebServer(rendererFolder: string | null): Promise<FastifyInstance> {
  const web = Fastify({
    forceCloseConnections: true,
    bodyLimit: 1024,
    // Hooks do not run for an address that cannot be decoded, so its answer is written here.
    frameworkErrors: (_error, request, reply) => {
      reply.hijack();
      const headers = { ...securityHeaders(request.socket.localPort ?? 0), "content-type": "text/plain" };
      reply.raw.writeHead(400, headers).end("The address cannot be read.");
    },
  });
  web.addHook("onRequest", async (request, reply) => {
    const port = request.socket.localPort ?? 0;
    reply.headers(securityHeaders(port));
    if (!isOwnHost(request.headers.host, port)) {
      await reply.code(403).type("text/plain").send("This address is not served here.");
    }
  });
  web.setErrorHandler((error: { statusCode?: number }, _request, reply) => {
    void reply
      .code(error.statusCode ?? 500)
      .type("text/plain")
      .send("This request cannot be answered.");
  });
  if (rendererFolder !== null) {
    await web.register(fastifyStatic, { root: rendererFolder, dotfiles: "ignore", cacheControl: false });
  }
  web.setNotFoundHandler(async (request, reply) => {
    if (rendererFolder !== null && isNavigation(request)) return reply.code(200).sendFile("index.html");
    return reply.code(404).type("text/plain").send("There is nothing here.");
  });
  return web;
}

/** A person opening an address, in contrast to a page asking for one of its parts. */
function isNavigation(request: FastifyRequest): boolean {
  if (request.method !== "GET") return false;
  const mode = request.headers["sec-fetch-mode"];
  return mode === undefined ? (request.headers.accept ?? "").includes("text/html") : mode === "navigate";
}
