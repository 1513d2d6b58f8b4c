/** A model hub on this machine that serves one small file, and misbehaves as a test tells it to. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface ModelHub {
  readonly url: string;
  /** Headers of every request, in order. */
  readonly requests: IncomingMessage["headers"][];
}

/** `answers` are given in order, the last of them from then on. */
export async function startModelHub(...answers: [Answer, ...Answer[]]): Promise<ModelHub> {
  const requests: IncomingMessage["headers"][] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)] ?? answers[0];
    requests.push(request.headers);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: addressOf(server), requests };
}

/** An address on this machine where nothing listens. */
export async function addressOfNobody(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = addressOf(server);
  await new Promise((resolve) => server.close(resolve));
  return url;
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** As a good server does it: whole, or the part that was asked for if the version is still the same. */
export function serves(content: Buffer, tag = '"first"'): Answer {
  return (request, response) => {
    const [, first, last = ""] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
    if (first === undefined || (request.headers["if-range"] ?? tag) !== tag) {
      response.writeHead(200, { "content-length": content.length, etag: tag }).end(content);
      return;
    }
    const from = Number(first);
    const part = content.subarray(from, last === "" ? undefined : Number(last) + 1);
    const range = `bytes ${from}-${from + part.length - 1}/${content.length}`;
    response.writeHead(206, { "content-length": part.length, "content-range": range, etag: tag }).end(part);
  };
}

/** Promises the whole file, sends its first bytes, and then does `next`. */
export function servesOnly(content: Buffer, bytes: number, next: (response: ServerResponse) => void): Answer {
  return (_request, response) => {
    response.writeHead(200, { "content-length": content.length, etag: '"first"' });
    response.write(content.subarray(0, bytes), () => {
      next(response);
    });
  };
}

/** Takes the request and never says anything. */
export const isSilent: Answer = () => undefined;

export function refuses(status: number): Answer {
  return (_request, response) => {
    response.writeHead(status).end("no");
  };
}
