import { statSync } from "node:fs";
import { errorView, RepriseError, toRepriseError } from "../contract/errors.ts";
import type { QuantizerEvent, QuantizerRequest } from "../contract/quantizer-messages.ts";
import { findLibraries } from "./library-files.ts";
import { openLlamaLibrary, type LlamaLibrary } from "./llama-library.ts";
import { forecast, make } from "./quantizer-tasks.ts";

const progressMs = 250;

/** Does what is asked and posts events, of which the last says how it ended. Never rejects. */
export async function answerRequest(request: QuantizerRequest, post: (event: QuantizerEvent) => void): Promise<void> {
  try {
    post(await answer(openLibrary(), request, post));
  } catch (caught) {
    post({ type: "failed", error: errorView(toRepriseError(caught)) });
  }
}

async function answer(
  library: LlamaLibrary,
  request: QuantizerRequest,
  post: (event: QuantizerEvent) => void,
): Promise<QuantizerEvent> {
  if (request.task === "plan") return { type: "forecast", forecast: await forecast(library, request) };
  // Synchronous: the one worker thread, by which everything else would be asked, is quantizing.
  const watch = setInterval(() => {
    const writtenBytes = statSync(request.outputPath, { throwIfNoEntry: false })?.size ?? 0;
    post({ type: "progress", writtenBytes });
  }, progressMs);
  try {
    return { type: "made", bytes: await make(library, request) };
  } finally {
    clearInterval(watch);
  }
}

function openLibrary(): LlamaLibrary {
  try {
    return openLlamaLibrary(findLibraries());
  } catch (caught) {
    if (caught instanceof RepriseError) throw caught;
    const reason = caught instanceof Error ? caught.message : String(caught);
    const sentence = `Quantizing does not work on this machine: the engine's library could not be loaded (${reason}).`;
    throw new RepriseError("QUANTIZE_FAILED", sentence, { reason }, { cause: caught });
  }
}
