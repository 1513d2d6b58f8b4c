import { z } from "zod";
import type { BlockTables } from "./block-tables.ts";
import type { Fingerprint, FingerprintParts } from "./fingerprint.ts";
import type { KvFile } from "./kv-file.ts";
import { parseJson } from "./parse-json.ts";
import { rowLayoutSchema, type RowLayout } from "./row-layout.ts";

const ropeSchema = z.object({
  frequencyBase: z.number().nullable(),
  frequencyScale: z.number().nullable(),
  factors: z.enum(["long", "short"]).nullable(),
});

const partsSchema: z.ZodType<FingerprintParts> = z.object({
  weights: z.string(),
  release: z.string(),
  backend: z.string(),
  keyType: z.string(),
  valueType: z.string(),
  rope: ropeSchema,
  loras: z.array(z.object({ weights: z.string(), scale: z.number() })),
  attentionRotation: z.boolean(),
  snapshotValues: z.enum(["by-row", "by-column"]).nullable(),
});

export interface KnownFingerprint {
  readonly parts: FingerprintParts;
  /** Of its blocks; `null` before the first is cut. */
  readonly layout: RowLayout | null;
}

/** What the fingerprints in the store stand for. It owns that knowledge, and keeps it through the loss of the file. */
export class FingerprintRegistry {
  readonly #known = new Map<Fingerprint, KnownFingerprint>();

  get known(): ReadonlyMap<Fingerprint, KnownFingerprint> {
    return this.#known;
  }

  /** Takes in what the file knows, and writes what it does not. */
  load(tables: BlockTables): void {
    for (const { fingerprint, parts, layout } of tables.fingerprints()) {
      const read = partsSchema.safeParse(parseJson(parts));
      const readLayout = rowLayoutSchema.nullable().safeParse(parseJson(layout ?? "null"));
      if (!read.success || !readLayout.success || this.#known.has(fingerprint)) continue;
      this.#known.set(fingerprint, { parts: read.data, layout: readLayout.data });
    }
    for (const [fingerprint, entry] of this.#known) tables.setFingerprint(toRow(fingerprint, entry));
  }

  set(file: KvFile, fingerprint: Fingerprint, entry: KnownFingerprint): void {
    const layout = entry.layout ?? this.#known.get(fingerprint)?.layout ?? null;
    this.#known.set(fingerprint, { ...entry, layout });
    file.write((tables) => {
      tables.setFingerprint(toRow(fingerprint, entry));
    });
  }
}

function toRow(fingerprint: Fingerprint, { parts, layout }: KnownFingerprint) {
  return { fingerprint, parts: JSON.stringify(parts), layout: layout === null ? null : JSON.stringify(layout) };
}
