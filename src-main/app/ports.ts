/** What the use cases need of the layers below. Those layers do not import this file; the composition root joins them. */
import type { ContractRouterClient } from "@orpc/contract";
import type { FetchStatus } from "../contract/app-status.ts";
import type {
  Conversation,
  ConversationPatch,
  ConversationSummary,
  Message,
  MessageStatus,
  NewConversation,
  SearchHit,
} from "../contract/conversation.ts";
import type { engineContract, PromptMessage } from "../contract/engine-contract.ts";
import type { ErrorView } from "../contract/errors.ts";
import type { HubFiles, HubLevel } from "../contract/hub.ts";
import type { Forecast, MakeRequest, PlanRequest } from "../contract/quantizer-messages.ts";
import type { ModelFacts } from "../contract/model-library.ts";
import type { FamilySettings, FamilySettingsPatch, LoadOptions, LoadOptionsPatch } from "../contract/model-settings.ts";
import type { ModelSource, ThreadTuning } from "../contract/model.ts";
import type { Settings, SettingsPatch } from "../contract/settings.ts";
import type { TurnReport } from "../contract/turn-report.ts";

export type StoredConversation = Omit<Conversation, "generating">;
export type StoredSummary = Omit<ConversationSummary, "generating">;

/** Every method is synchronous and durable when it returns; failures are RepriseErrors (STORAGE_FAILED, NOT_FOUND). */
export interface ConversationStore {
  /** Most recently used first. */
  list(): StoredSummary[];
  get(conversationId: string): StoredConversation;
  /** `null` where there is none. */
  find(conversationId: string): StoredConversation | null;
  create(values: NewConversation): StoredConversation;
  update(conversationId: string, patch: ConversationPatch): StoredConversation;
  /** By whole words and word beginnings; nothing for a text without words. */
  search(text: string): SearchHit[];
  /** Removes it with its messages and reports. */
  delete(conversationId: string): void;
  setActiveLeaf(conversationId: string, messageId: string | null): void;
  /** How many of its oldest messages its last prompt was without; 0 also where it is not there. */
  leftOut(conversationId: string): number;
  setLeftOut(conversationId: string, messages: number): void;
}

interface AnswerProgress {
  readonly content: string;
  /** Ids the engine produced for `content`; `null` where they do not match it exactly. */
  readonly tokens: readonly number[] | null;
}

export interface AnswerEnd extends AnswerProgress {
  readonly status: Exclude<MessageStatus, "streaming">;
  readonly error: ErrorView | null;
  readonly report: TurnReport | null;
}

export interface MessageStore {
  get(messageId: string): Message;
  /** From the first message to the active leaf. */
  activePath(conversationId: string): Message[];
  /** The prompt that ends in `messageId`: the system prompt if there is one, then the path, with stored token ids. */
  prompt(messageId: string): PromptMessage[];
  /** The newest leaf below `messageId`. */
  newestLeaf(messageId: string): string;
  /** Both make the new message the active leaf and touch the conversation, in one transaction. */
  addUserMessage(values: { conversationId: string; parentId: string | null; content: string }): Message;
  /** `modelId`, `modelLevel`: of the model that will write it; the level is put right when it has ended. */
  addAnswer(values: {
    conversationId: string;
    parentId: string;
    modelName: string;
    modelId?: string | null;
    modelLevel?: string | null;
  }): Message;
  checkpoint(messageId: string, progress: AnswerProgress): void;
  finish(messageId: string, end: AnswerEnd): Message;
}

export interface ModelFileStore {
  list(): { id: string; path: string }[];
  add(path: string): { id: string; path: string };
  remove(modelId: string): void;
  /** Thread measurements by file path, size, modification time and processor: valid only for the same of each. */
  tuning(key: string): { tuning: ThreadTuning; measuredAt: number } | null;
  setTuning(key: string, tuning: ThreadTuning): void;
}

export interface QuarantineStore {
  /** What was kept of a file at this path; `null` where nothing was. */
  get(path: string): { readonly stamp: string; readonly cause: string } | null;
  /** Replaces what was kept of another content at the same path. */
  add(file: { readonly path: string; readonly stamp: string; readonly cause: string }): void;
  release(path: string): void;
}

interface Stamp {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** What was found in files: valid for the same path, size and modification time only. */
export interface ModelFactsStore {
  find(file: Stamp): { facts: ModelFacts | null; sha256: string | null };
  /** All or none. */
  setFacts(found: readonly { file: Stamp; facts: ModelFacts }[]): void;
  setSha256(file: Stamp, sha256: string): void;
}

/** What is set for a file and for all levels of a model; the defaults where nothing was. */
export interface ModelSettingStore {
  loadOptions(modelId: string): LoadOptions;
  updateLoadOptions(modelId: string, patch: LoadOptionsPatch): LoadOptions;
  family(familyId: string): FamilySettings;
  updateFamily(familyId: string, patch: FamilySettingsPatch): FamilySettings;
}

/** What levels of a model say of a conversation's answers; it goes with them. */
interface PredictionStore {
  of(conversationId: string, level: string): { messageId: string; chain: string; tokens: number[] }[];
  /** Replaces what was known of the answer under another chain. */
  keep(prediction: { messageId: string; level: string; chain: string; tokens: readonly number[] }): void;
}

export interface SettingStore {
  get(): Settings;
  update(patch: SettingsPatch): Settings;
}

export interface Store {
  readonly conversations: ConversationStore;
  readonly messages: MessageStore;
  readonly modelFiles: ModelFileStore;
  readonly quarantine: QuarantineStore;
  readonly modelFacts: ModelFactsStore;
  readonly modelSettings: ModelSettingStore;
  readonly predictions: PredictionStore;
  readonly settings: SettingStore;
  close(): void;
}

/** The engine child by its contract. Calls fail with ENGINE_CRASHED when the process dies under them. */
export type EngineClient = ContractRouterClient<typeof engineContract>;

export interface RunningEngine {
  readonly client: EngineClient;
  readonly processId: number;
}

/** Keeps one engine process alive: starts it when first needed, watches it, starts it again after a crash. */
export interface EngineSupervisor {
  /** The running engine, started if need be; another object after every start. */
  engine(): Promise<RunningEngine>;
  /** Called with the cause each time the process ends without being asked to. Returns the unsubscriber. */
  onCrash(listener: (cause: string) => void): () => void;
  /** Asks it to shut down, waits, then kills. No process is left when this resolves. */
  stop(): Promise<void>;
}

export interface DefaultModelSource {
  /** Where the default model lies once fetched. */
  readonly path: string;
  /** What a person calls it. */
  readonly name: string;
  isPresent(): Promise<boolean>;
  /** Fetches and verifies it. Throws MODEL_FETCH_FAILED with every attempt's reason. */
  fetch(onStatus: (status: FetchStatus) => void, signal: AbortSignal): Promise<void>;
}

/** GGUF files in the models folder, with no look inside them. */
export interface ModelFolder {
  list(): Promise<{ path: string; sizeBytes: number }[]>;
}

/** What the model hub says it has. */
export interface ModelHub {
  /** `revision`: the newest where `null`. Throws INVALID_INPUT for what is no name, HUB_FAILED. */
  files(name: string, revision: string | null, signal: AbortSignal): Promise<HubFiles>;
}

/** A model that was asked for, as the next start has to know it. */
export interface DownloadRecord {
  readonly id: string;
  readonly repository: string;
  readonly revision: string;
  readonly level: string;
  readonly files: HubLevel["files"];
  readonly isPaused: boolean;
}

export interface DownloadStore {
  load(): Promise<DownloadRecord[]>;
  save(records: readonly DownloadRecord[]): Promise<void>;
}

/** Brings models of the hub into the models folder, verified. */
export interface ModelFetcher {
  /** Where the model's first file will lie. */
  pathOf(model: DownloadRecord): string;
  arrivedBytes(model: DownloadRecord): Promise<number>;
  /** Returns when it is there. Throws HUB_FAILED, STORAGE_FAILED, FOLDER_UNWRITABLE, INVALID_INPUT or the signal's reason. */
  fetch(model: DownloadRecord, onStatus: (status: FetchStatus) => void, signal: AbortSignal): Promise<void>;
  /** Removes what there is of one that is not whole. */
  discard(model: DownloadRecord): Promise<void>;
}

/** Looks into model files without holding this process up. */
export interface ModelReader {
  /** Throws MODEL_MISSING, and MODEL_INVALID where the file cannot be read; what else is wrong with it is the result. */
  read(path: string): Promise<ModelFacts>;
  /** The next step of a file's SHA-256, `null` until it is known. Another path than before begins anew. */
  hashStep(path: string, isFirst: boolean): Promise<string | null>;
  close(): Promise<void>;
}

/** A file of another program, or of a folder the user has watched. */
export interface WatchedModel {
  readonly path: string;
  readonly source: ModelSource;
  readonly sizeBytes: number;
  readonly name: string | null;
}

/** Foresees and makes quantized files, each in a process of its own that is gone when the call has ended. */
export interface Quantizer {
  forecast(request: PlanRequest, signal: AbortSignal): Promise<Forecast>;
  /** The size of the file. Rejects with the signal's reason where it was aborted; what was written until then stays. */
  make(request: MakeRequest, onProgress: (writtenBytes: number) => void, signal: AbortSignal): Promise<number>;
}
