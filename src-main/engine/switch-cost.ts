/** What going on with another model would take. Nothing is loaded or computed for it. */
import type { SwitchInput } from "../contract/engine-contract.ts";
import type { EngineSwitchCost } from "../contract/model-switch.ts";
import { fingerprintParts } from "./fingerprint-parts.ts";
import { conversationTokens } from "./conversation-tokens.ts";
import { checkRoom } from "./generation/generate-turn.ts";
import type { KvStore } from "./kv/kv-store.ts";
import { storedForFile } from "./kv/stored-for-file.ts";
import { knownWeightsHash } from "./kv/weights-hash.ts";
import type { LoadedLlama } from "./llama/load-llama.ts";
import { loadNeeds, type LoadNeeds } from "./llama/load-needs.ts";
import { backendOf } from "./llama/open-model.ts";
import type { ModelSession } from "./model-session.ts";
import { sizeOfTokens } from "./prompt-size.ts";
import type { ResidentModels } from "./resident-models.ts";
import { totalModelBytes } from "./resident-model.ts";
import { hasSameTokens } from "./same-tokens.ts";

interface Surroundings {
  readonly library: LoadedLlama;
  readonly models: ResidentModels;
  /** `null`: none was opened. */
  readonly store: KvStore | null;
}

/** Throws MODEL_MISSING, MODEL_INVALID, OPTIONS_REFUSED, TEMPLATE_FAILED, CONTEXT_FULL. */
export async function switchCost(input: SwitchInput, surroundings: Surroundings): Promise<EngineSwitchCost> {
  const { models, library } = surroundings;
  const resident = models.find(input);
  return resident === null
    ? await costOfLoading(input, loadNeeds(library.llama, input.path, input.options), surroundings)
    : await costOfResident(resident, input, models.active);
}

async function costOfResident(
  session: ModelSession,
  { messages, chatTemplate }: SwitchInput,
  active: ModelSession | null,
): Promise<EngineSwitchCost> {
  // It goes by a template that was set since when it is made active.
  const prompt = conversationTokens(session.promptsWith(chatTemplate), messages);
  await session.model.room.refresh();
  const size = sizeOfTokens(session, prompt);
  if (size.promptTokens > 0) checkRoom(size.promptTokens, size.contextTokens);
  // A prompt's last token is always computed; of a conversation that is only put in place none is.
  const residentTokens = Math.max(size.residentTokens, session.cache.parts.tiers.residentTokens(prompt));
  const computeTokens = size.promptTokens - Math.max(residentTokens, size.storedTokens);
  return {
    isActive: session === active,
    isResident: true,
    loadBytes: 0,
    memoryBytes: totalModelBytes(session),
    isFitting: true,
    keepsActive: true,
    closes: [],
    promptTokens: size.promptTokens,
    residentTokens,
    storedTokens: size.storedTokens,
    computeTokens,
    computeMs: computeTokens === 0 ? 0 : size.computeMs,
  };
}

async function costOfLoading(
  input: SwitchInput,
  needs: LoadNeeds,
  { library, models, store }: Surroundings,
): Promise<EngineSwitchCost> {
  const { close, isFitting } = await models.planFor(needs.bytes);
  const backend = backendOf(library.llama);
  const prompt = promptOf(input, needs, models.all);
  if (prompt !== null && prompt.length > 0) checkRoom(prompt.length, needs.mostTokens ?? Infinity);
  const storedTokens = prompt === null || store === null ? 0 : storedOf(prompt, input.path, { backend, store, needs });
  const computeTokens = prompt === null ? null : prompt.length - storedTokens;
  return {
    isActive: false,
    isResident: false,
    loadBytes: needs.weightsBytes,
    memoryBytes: needs.bytes,
    isFitting,
    keepsActive: models.active === null || !close.includes(models.active),
    closes: close.map(({ description }) => description.path),
    promptTokens: prompt?.length ?? null,
    residentTokens: 0,
    storedTokens,
    computeTokens,
    computeMs: computeTokens === null ? null : computeMs(computeTokens, input),
  };
}

interface StoredOf {
  readonly backend: string;
  readonly store: KvStore;
  readonly needs: LoadNeeds;
}

/** Nothing is stored for a file whose content was never looked at. */
function storedOf(prompt: readonly number[], path: string, { backend, store, needs }: StoredOf): number {
  const weightsOf = (file: string) => knownWeightsHash(file, store.weightsHashes) ?? "";
  return storedForFile(prompt, store, fingerprintParts(path, { settings: needs.settings, backend, weightsOf }));
}

/** By the vocabulary of another level of the same model; `null` where none is in memory. */
function promptOf(
  { messages, chatTemplate }: SwitchInput,
  { inspected }: LoadNeeds,
  sessions: readonly ModelSession[],
): readonly number[] | null {
  const { header } = inspected.parts[0];
  const speaker = sessions.find(({ model }) => hasSameTokens(model.header, header));
  return speaker === undefined ? null : conversationTokens(speaker.promptsWith(chatTemplate), messages);
}

function computeMs(tokens: number, { tuning, options }: SwitchInput): number | null {
  if (tokens === 0) return 0;
  const threads = options.threads?.prefill ?? tuning?.prefill;
  const measured = tuning?.measured.find((each) => each.threads === threads);
  return measured === undefined ? null : (tokens * 1_000) / measured.prefillTokensPerSecond;
}
