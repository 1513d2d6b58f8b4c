import type { Llama, LlamaModel } from "node-llama-cpp";
import type { Sampling } from "../../contract/conversation.ts";
import { nativeBindings, nativeModel, type NativeSampler, type NativeSamplerConfig } from "./native.ts";

/**
 * Chooses the tokens of one answer: it remembers what it chose (repeat penalty) and goes on with one stream of random
 * numbers, so it lives as long as the answer and no longer.
 */
export class TokenSampler implements Disposable {
  readonly native: NativeSampler;

  /** `previous`: the prompt's tokens, whose repetition counts too. */
  constructor(llama: Llama, model: LlamaModel, sampling: Sampling, seed: number, previous: readonly number[]) {
    const { AddonSampler } = nativeBindings(llama);
    this.native = new AddonSampler(nativeModel(model));
    this.native.applyConfig(samplerConfig(sampling, seed, previous));
  }

  [Symbol.dispose](): void {
    this.native.dispose();
  }
}

/** Temperature 0 takes the likeliest token, whatever the other settings are (but for the repeat penalty). */
function samplerConfig(sampling: Sampling, seed: number, previous: readonly number[]): NativeSamplerConfig {
  const { temperature, topK, topP, minP, repeatPenalty, repeatPenaltyTokens } = sampling;
  return {
    temperature,
    topK,
    topP,
    minP,
    seed,
    repeatPenalty,
    repeatPenaltyMaxTokens: repeatPenaltyTokens,
    repeatPenaltyTokens: Uint32Array.from(repeatPenaltyTokens === 0 ? [] : previous.slice(-repeatPenaltyTokens)),
  };
}
