import { newId } from "../contract/id.ts";
import type { ThreadTuning } from "../contract/model.ts";
import { BlockLoader } from "./kv/block-loader.ts";
import { BlockSaver } from "./kv/block-saver.ts";
import { CellStream } from "./kv/cell-stream.ts";
import { attentionRotation, fingerprint, type FingerprintParts } from "./kv/fingerprint.ts";
import { KvCache } from "./kv/kv-cache.ts";
import type { KvStore } from "./kv/kv-store.ts";
import { KvTiers } from "./kv/kv-tiers.ts";
import { MeasuredCosts } from "./kv/measured-costs.ts";
import type { PromptHistory } from "./kv/prompt-history.ts";
import type { ReuseCosts } from "./kv/reuse-costs.ts";
import { ropeFactors } from "./kv/rope-factors.ts";
import type { StateContext } from "./kv/state-context.ts";
import { weightsHash } from "./kv/weights-hash.ts";
import type { WindowPool } from "./kv/window-pool.ts";
import { bytesPerToken } from "./llama/kv-layout.ts";
import { engineLibrary } from "./llama/load-llama.ts";
import type { OpenModel } from "./llama/open-model.ts";
import type { StateFolder } from "./llama/state-folder.ts";
import type { FreeMemory } from "./sizing/context-room.ts";

/** What a model's cache shares with those of the models before and after it. */
export interface CacheSurroundings {
  readonly store: KvStore;
  readonly folder: StateFolder;
  /** The same on the disk, for what must not take memory. */
  readonly diskFolder: StateFolder;
  readonly history: PromptHistory;
  /** In place of what is measured; `null`: measure. */
  readonly fixedCosts: ReuseCosts | null;
  /** In place of what the machine says of its memory; `null`: ask. */
  readonly freeMemory: (() => FreeMemory) | null;
  readonly onChanged: () => void;
}

export function openKvCache(
  model: OpenModel,
  path: string,
  tuning: ThreadTuning,
  { store, folder, fixedCosts, onChanged }: CacheSurroundings,
): KvCache {
  const { context, resumeRule: rule } = model;
  const parts = fingerprintParts(model, path, store);
  const stream = new CellStream(context, rule);
  const chains = store.chainsOf(fingerprint(parts));
  const stateContext = stateContextOf(model);
  const tiers = new KvTiers({ stream, store, chains, rule });
  const stepsOf = (sequence: number) => stream.stepsOf(sequence);
  const saver = new BlockSaver({ context: stateContext, store, chains, parts, folder, rule, stepsOf });
  const loader = new BlockLoader({ context: stateContext, store, chains, folder, rule });
  const measured = new MeasuredCosts(measuredSpeed(tuning));
  const window = context.layout.sliding === null ? null : windowPoolOf(context);
  return new KvCache({
    stream,
    tiers,
    saver,
    loader,
    store,
    chains,
    rule,
    window,
    measured,
    fixedCosts,
    fingerprintParts: parts,
    onChanged,
  });
}

/** Also of the contexts that replace the one there is. */
export function stateContextOf({ context }: OpenModel): StateContext {
  const { layout, valuesByColumn } = context;
  return {
    get sequences() {
      return context.sequences;
    },
    valuesByColumn,
    cellBytes: bytesPerToken(layout),
    fixedBytes: layout.recurrentBytes,
  };
}

function windowPoolOf(context: OpenModel["context"]): WindowPool {
  return {
    get cells() {
      return context.layout.sliding?.cells ?? 0;
    },
    chunkTokens: context.chunkTokens,
  };
}

function fingerprintParts(model: OpenModel, path: string, store: KvStore): FingerprintParts {
  const { context, resumeRule } = model;
  const { cache, rope, adapters, gpuLayers } = model.settings;
  const values = context.valuesByColumn ? "by-column" : "by-row";
  return {
    weights: weightsOf(path, store),
    release: `${engineLibrary.name}, ${engineLibrary.release}`,
    // Layers left to the processor are rounded as it does.
    backend: gpuLayers === "auto" ? model.backend : `${model.backend}, ${gpuLayers} layers`,
    keyType: cache.keyType,
    valueType: cache.valueType,
    rope: { ...rope.settings, factors: ropeFactors(model.header, context.contextTokens) },
    loras: adapters.map((adapter) => ({ weights: weightsOf(adapter.path, store), scale: adapter.scale })),
    attentionRotation: attentionRotation(process.env),
    snapshotValues: resumeRule.kind === "anywhere" ? null : values,
  };
}

/** Of a file that changes while it is read nothing is known: then nothing stored is taken for its, now or later. */
function weightsOf(path: string, store: KvStore): string {
  try {
    return weightsHash(path, store.weightsHashes);
  } catch {
    return `unknown-${newId()}`;
  }
}

function measuredSpeed({ measured, prefill }: ThreadTuning): number | null {
  return measured.find(({ threads }) => threads === prefill)?.prefillTokensPerSecond ?? null;
}
