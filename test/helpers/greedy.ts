import { defaultSampling, type Sampling } from "../../src-main/contract/conversation.ts";
import type { OpenModel } from "../../src-main/engine/llama/open-model.ts";

/** The likeliest token each time, with nothing that makes the choice depend on what came before. */
export const greedySampling: Sampling = { ...defaultSampling, temperature: 0, repeatPenalty: 1, seed: 1 };

/** Computes `tokens` from `position` on and then chooses `count` tokens; the cells before `position` are taken as they are. */
export async function continuation(
  model: OpenModel,
  tokens: readonly number[],
  { position = 0, count = 16, chunkTokens = 64, sampling = greedySampling } = {},
): Promise<number[]> {
  const { context } = model;
  using sampler = model.createSampler(sampling, sampling.seed ?? 1, tokens);
  let index: number | null = null;
  for (let from = 0; from < tokens.length; from += chunkTokens) {
    index = await context.computeChunk(position + from, tokens.slice(from, from + chunkTokens), true);
  }
  const answer: number[] = [];
  while (answer.length < count) {
    const token = await context.sample(index ?? 0, sampler);
    index = await context.computeToken(position + tokens.length + answer.length, token);
    answer.push(token);
  }
  return answer;
}
