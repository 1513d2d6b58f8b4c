/** The page's state with three levels of one model and another model, of which one answers in an open conversation. */
import { vi } from "vitest";
import type { ChatEvent } from "../../src-main/contract/app-contract.ts";
import type { AppStatus } from "../../src-main/contract/app-status.ts";
import type { SwitchCost } from "../../src-main/contract/model-switch.ts";
import { settingsSchema } from "../../src-main/contract/settings.ts";
import type { App } from "../../src-renderer/state/app.svelte.ts";
import { connectedApp, says } from "./connected-app.ts";
import { eventSource } from "./event-source.ts";
import { sampleCacheState } from "./sample-cache-state.ts";
import { sampleFamily, sampleLevel, sampleLevelFile } from "./sample-family.ts";
import { sampleModelFile } from "./sample-model-file.ts";
import { sampleSwitchCost } from "./sample-switch-cost.ts";
import { sampleMessage, sampleThread } from "./sample-thread.ts";

const speed = { prefillTokensPerSecond: 412.3, decodeTokensPerSecond: 77.5, measuredAt: 1, underLoad: false };
export const levelFiles = {
  q4: sampleLevelFile("q4", "Q4_1", { isDefault: true }),
  q8: sampleLevelFile("q8", "Q8_0"),
  f16: sampleLevelFile("f16", "F16"),
};
const files = [
  ...Object.values(levelFiles),
  sampleModelFile({ id: "qwen", path: "/models/qwen.gguf", name: "Qwen", familyId: "qwen" }),
];
const families = [
  sampleFamily([
    sampleLevel({ modelId: "q4", level: "Q4_1", speed, isFastestPrefill: true }),
    sampleLevel({ modelId: "q8", level: "Q8_0", bitsPerWeight: 8.5 }),
    sampleLevel({ modelId: "f16", level: "F16", bitsPerWeight: 16, isReference: true }),
  ]),
  sampleFamily([sampleLevel({ modelId: "qwen", level: "Q4_K_M" })], { id: "qwen", name: "Qwen" }),
];
const status: AppStatus = {
  version: "0",
  host: "headless",
  dataFolder: "/data",
  modelsFolder: "/models",
  engine: { state: "idle" },
  fetch: { state: "none" },
  notices: [],
};
const messages = [
  sampleMessage({ id: "m1", conversationId: "c1" }),
  sampleMessage({
    id: "m2",
    conversationId: "c1",
    role: "assistant",
    modelName: "SmolLM2 135M Instruct",
    modelId: "q4",
  }),
];

type SwitchInput = Readonly<Record<"conversationId" | "modelId", string>>;

interface Levels {
  readonly app: App;
  /** What happens to the open conversation. */
  readonly push: (event: ChatEvent) => void;
  readonly calls: {
    readonly switchCost: ReturnType<typeof vi.fn<(input: SwitchInput) => Promise<SwitchCost>>>;
    readonly switchModel: ReturnType<typeof vi.fn<(input: SwitchInput) => Promise<unknown>>>;
    readonly cancelSwitch: ReturnType<typeof vi.fn<(input: object) => Promise<void>>>;
    readonly measure: ReturnType<typeof vi.fn<(input: object) => Promise<unknown>>>;
    readonly load: ReturnType<typeof vi.fn<(input: object) => Promise<void>>>;
    readonly updateSettings: ReturnType<typeof vi.fn<(patch: object) => Promise<unknown>>>;
  };
}

/** `isOpen`: a conversation of two messages is open that Q4_1 answers in; else none is begun. Q8_0 is in memory. */
export async function levelsApp(isOpen = true): Promise<Levels> {
  const calls: Levels["calls"] = {
    switchCost: vi.fn(({ modelId }) => Promise.resolve(sampleSwitchCost({ modelId }))),
    switchModel: vi.fn(() => Promise.resolve(null)),
    cancelSwitch: vi.fn(() => Promise.resolve()),
    measure: vi.fn(() => Promise.resolve(null)),
    load: vi.fn(() => Promise.resolve()),
    updateSettings: vi.fn(() => Promise.resolve(null)),
  };
  const [resident] = sampleCacheState().models;
  if (resident === undefined) throw new Error("The sample has a model in memory.");
  const chat = eventSource<ChatEvent>();
  const thread = sampleThread(messages, { id: "c1", modelId: "q4" });
  chat.push({ type: "thread", seq: 0, thread, generation: null, switching: null });
  window.location.hash = isOpen ? "#/c/c1" : "#/";
  const { switchCost, switchModel, cancelSwitch, measure, load, updateSettings } = calls;
  const app = connectedApp({
    status: { watch: () => says(status) },
    settings: { watch: () => says(settingsSchema.parse({})), update: updateSettings },
    conversations: { watch: () => says({ type: "all", conversations: [] }) },
    cache: { watch: () => says(sampleCacheState({ models: [{ ...resident, path: levelFiles.q8.path }] })) },
    models: { watch: () => says(files), families: () => says(families), measure, load },
    chat: { watch: () => Promise.resolve(chat), switchCost, switchModel, cancelSwitch },
  });
  app.chat.show(isOpen ? "c1" : null);
  await vi.waitUntil(() => app.models.files !== null && app.models.families !== null && app.cache.state !== null);
  if (isOpen) await vi.waitUntil(() => app.chat.ready !== null);
  return {
    app,
    push: (event) => {
      chat.push(event);
    },
    calls,
  };
}
