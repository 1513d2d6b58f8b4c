import { availableParallelism } from "node:os";
import type { ThreadTuning } from "../../contract/model.ts";
import type { OpenModel } from "../llama/open-model.ts";
import { threadCandidates } from "./choose-threads.ts";
import { measureThreads } from "./measure-threads.ts";

const text =
  "The lighthouse keeper wrote down the weather every morning: wind from the north-west, sea rough, 7 degrees, rain.";

/** A model's threads for each phase, as they are best on this machine. Throws the signal's reason. */
export async function measureModel(model: OpenModel, signal: AbortSignal): Promise<ThreadTuning> {
  return await measureThreads(model.context, {
    candidates: threadCandidates(availableParallelism()),
    tokens: model.vocabulary.tokenize(text, { special: false }),
    signal,
  });
}
