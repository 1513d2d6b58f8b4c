/** The worker that reads headers and computes hashes, so that a slow disk or a strange file never holds main up. */
import { parentPort } from "node:worker_threads";
import { answerReader } from "./answer-reader.ts";
import type { ReaderRequest } from "./reader-messages.ts";

const answer = answerReader();
parentPort?.on("message", (request: ReaderRequest) => {
  parentPort?.postMessage(answer(request));
});
