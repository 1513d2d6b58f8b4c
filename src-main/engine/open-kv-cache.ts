import { newId } from "../contract/id.ts";
import type { ThreadTuning } from "../contract/model.ts";
import { fingerprintParts } from "./fingerprint-parts.ts";
import { BlockLoader } from "./kv/block-loader.ts";
import { BlockSaver } from "./kv/block-saver.ts";
import { CellStream } from "./kv/cell-stream.ts";
import { fingerprint, type FingerprintParts } from "./kv/fingerprint.ts";
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
import type { OpenModel } from "./llama/open-model.ts";
import type { StateFolder } from "./llama/state-folder.ts";
import type { OtherModels } from "./other-models.ts";
import { unknownHash } from "./unknown-hash.ts";
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
  readonly others: OtherModels;
  readonly onChanged: () => void;
}

export function openKvCache(
  model: OpenModel,
  path: string,
  tuning: ThreadTuning,
  { store, folder, fixedCosts, onChanged }: CacheSurroundings,
): KvCache {
  const { context, resumeRule: rule } = model;
  const parts = loadedParts(model, path, store);
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
export function stateContextOf({ context }: Pick<OpenModel, "context">): StateContext {
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

function loadedParts(model: OpenModel, path: string, store: KvStore): FingerprintParts {
  const { context, resumeRule } = model;
  const parts = fingerprintParts(path, {
    settings: model.settings,
    backend: model.backend,
    weightsOf: (file) => weightsOf(file, store),
  });
  const values = context.valuesByColumn ? "by-column" : "by-row";
  return {
    ...parts,
    rope: { ...parts.rope, factors: ropeFactors(model.header, context.contextTokens) },
    snapshotValues: resumeRule.kind === "anywhere" ? null : values,
  };
}

/** Of a file that changes while it is read nothing is known: then nothing stored is taken for its, now or later. */
function weightsOf(path: string, store: KvStore): string {
  try {
    return weightsHash(path, store.weightsHashes);
  } catch {
    return unknownHash(newId());
  }
}

function measuredSpeed({ measured, prefill }: ThreadTuning): number | null {
  return measured.find(({ threads }) => threads === prefill)?.prefillTokensPerSecond ?? null;
}
