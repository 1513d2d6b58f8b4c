/** One streamed answer of an OpenAI-compatible server, timed by this process's clock. */
import { z } from "zod";
import type { Turn } from "./side.ts";

export interface ChatMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

const turnLimitMs = 15 * 60_000;

const chunkSchema = z.object({
  choices: z.array(z.object({ delta: z.object({ content: z.string().nullish() }) })),
  usage: z
    .object({
      prompt_tokens: z.int(),
      completion_tokens: z.int(),
      prompt_tokens_details: z.object({ cached_tokens: z.int() }).optional(),
    })
    .nullish(),
  /** llama-server's own. */
  timings: z.looseObject({ prompt_n: z.int(), prompt_ms: z.number(), predicted_per_second: z.number() }).optional(),
});

type Chunk = z.infer<typeof chunkSchema>;

/** Greedy, as ours is asked. Throws what the server answered where it refused. */
export async function streamedCompletion(
  url: string,
  messages: readonly ChatMessage[],
  maxTokens: number,
): Promise<Turn> {
  const sampling = { temperature: 0, max_tokens: maxTokens, reasoning_format: "none" };
  const streaming = { stream: true, stream_options: { include_usage: true } };
  const startedAtMs = performance.now();
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages, cache_prompt: true, ...sampling, ...streaming }),
    signal: AbortSignal.timeout(turnLimitMs),
  });
  if (!response.ok || response.body === null) throw new Error(`llama-server: ${await response.text()}`);
  let text = "";
  let firstAtMs: number | null = null;
  const figures: Pick<Chunk, "usage" | "timings"> = {};
  for await (const { choices, usage, timings } of chunksOf(response.body)) {
    const piece = choices[0]?.delta.content ?? "";
    if (piece !== "") firstAtMs ??= performance.now();
    text += piece;
    Object.assign(figures, usage && { usage }, timings && { timings });
  }
  const { usage, timings } = figures;
  if (!usage) throw new Error("llama-server did not say how many tokens the prompt had.");
  const cachedTokens = usage.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    ttftMs: (firstAtMs ?? performance.now()) - startedAtMs,
    reportedMs: timings?.prompt_ms ?? null,
    promptTokens: usage.prompt_tokens,
    computedTokens: timings?.prompt_n ?? usage.prompt_tokens - cachedTokens,
    outputTokens: usage.completion_tokens,
    tokensPerSecond: timings?.predicted_per_second ?? null,
    text,
    report: figures,
  };
}

/** Server-sent events, each one line of `data:`. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Chunk> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of body) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const data = line.replace(/^data: /, "").trim();
      if (line.startsWith("data: ") && data !== "[DONE]") yield chunkSchema.parse(JSON.parse(data));
    }
  }
}
