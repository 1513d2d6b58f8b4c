/** The statements of kv.db. Nothing here decides or remembers anything. */
import type { Database } from "better-sqlite3";
import { z } from "zod";
import { tokenBytes } from "./block-key.ts";
import { evictionFromJson, evictionLogLength, evictionToJson, type EvictionEntry } from "./eviction-log.ts";
import type { Fingerprint } from "./fingerprint.ts";
import { createLostBlockTables } from "./lost-block-tables.ts";
import { createPromptTables } from "./prompt-tables.ts";
import type { StoredBlock } from "./stored-block.ts";

const text = z.string().nullable();
const count = z.int().nonnegative();

/** Checked when it is read: a damaged page may hold anything. */
const blockRowSchema = z.object({
  id: count,
  key: z.string().length(64),
  parent: z.string().length(64),
  fingerprint: z.string().length(64),
  kind: z.enum(["rows", "snapshot"]),
  position: count,
  tokens: z.instanceof(Buffer),
  steps: z.instanceof(Buffer),
  stepsBefore: count,
  payloadBytes: count,
  checksum: count,
  conversationId: text,
  turnId: text,
  createdMs: count,
  lastUsedMs: count,
  use: z.number(),
});
type BlockRow = z.infer<typeof blockRowSchema>;

const columns = `
  id, key, parent, fingerprint, kind, position, tokens, steps, steps_before AS stepsBefore, payload_bytes AS payloadBytes, checksum,
  conversation_id AS conversationId, turn_id AS turnId, created_at AS createdMs, last_used_at AS lastUsedMs, use`;

const insertSql = `
  INSERT INTO block (id, key, parent, fingerprint, kind, position, tokens, steps, steps_before, payload_bytes, checksum,
    conversation_id, turn_id, created_at, last_used_at, use)
  VALUES (@id, @key, @parent, @fingerprint, @kind, @position, @tokens, @steps, @stepsBefore, @payloadBytes, @checksum, @conversationId,
    @turnId, @createdMs, @lastUsedMs, @use)`;

const addToTotalSql = `
  INSERT INTO total (name, value) VALUES (@name, @value) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value`;

const forgetEvictionsSql = `
  DELETE FROM eviction
  WHERE @conversationId IN (entry ->> '$.conversationId', entry ->> '$.savedConversationId')`;

const setFingerprintSql = `
  INSERT INTO fingerprint (fingerprint, parts, layout) VALUES (@fingerprint, @parts, @layout)
  ON CONFLICT (fingerprint) DO UPDATE SET parts = excluded.parts, layout = coalesce(excluded.layout, layout)`;

const setWeightsHashSql = `
  INSERT INTO weights_hash (path, identity, hash) VALUES (?, ?, ?)
  ON CONFLICT (path) DO UPDATE SET identity = excluded.identity, hash = excluded.hash`;

export interface FingerprintRow {
  readonly fingerprint: Fingerprint;
  readonly parts: string;
  readonly layout: string | null;
}

export type BlockTables = ReturnType<typeof createBlockTables>;

export function createBlockTables(database: Database) {
  const statements = prepare(database);
  return {
    prompts: createPromptTables(database),
    lostBlocks: createLostBlockTables(database),

    /** All blocks, without their payloads, in the order in which they were stored; what does not read as one is left out. */
    list: (): StoredBlock[] =>
      statements.list.all().flatMap((row) => {
        const read = blockRowSchema.safeParse(row);
        return read.success ? [fromRow(read.data)] : [];
      }),

    /** `null`: there is none. */
    payload: (id: number): Buffer | null => statements.payload.get(id) ?? null,

    insert: (block: StoredBlock, payload: Uint8Array): void => {
      statements.insert.run(toRow(block));
      statements.insertPayload.run(block.id, payload);
    },

    remove: ({ id }: Pick<StoredBlock, "id">): void => {
      statements.remove.run(id);
      statements.removePayload.run(id);
    },

    setUse: ({ id, use }: StoredBlock): void => {
      statements.setUse.run(use.score, use.atMs, id);
    },

    setConversation: ({ id, conversationId, turnId }: StoredBlock): void => {
      statements.setConversation.run(conversationId, turnId, id);
    },

    addToTotal: (name: string, value: number): void => {
      statements.addToTotal.run({ name, value });
    },

    total: (name: string): number => statements.total.get(name) ?? 0,

    logEvictions: (entries: readonly EvictionEntry[]): void => {
      for (const entry of entries) statements.logEviction.run(entry.atMs, evictionToJson(entry));
      if (entries.length > 0) statements.trimLog.run(evictionLogLength);
    },

    forgetEvictions: (conversationId: string): void => {
      statements.forgetEvictions.run({ conversationId });
    },

    /** The newest first. */
    evictions: (): EvictionEntry[] =>
      statements.evictions.all().flatMap(({ at, entry }) => evictionFromJson(at, entry) ?? []),

    fingerprints: (): FingerprintRow[] => statements.fingerprints.all(),

    setFingerprint: (row: FingerprintRow): void => {
      statements.setFingerprint.run(row);
    },

    weightsHash: (path: string, identity: string): string | null => statements.weightsHash.get(path, identity) ?? null,

    setWeightsHash: (path: string, identity: string, hash: string): void => {
      statements.setWeightsHash.run(path, identity, hash);
    },
  };
}

function prepare(database: Database) {
  return {
    list: database.prepare<[]>(`SELECT ${columns} FROM block ORDER BY id`),
    payload: database.prepare<[number], Buffer>("SELECT bytes FROM payload WHERE block_id = ?").pluck(),
    insert: database.prepare<BlockRow>(insertSql),
    insertPayload: database.prepare<[number, Uint8Array]>("INSERT INTO payload (block_id, bytes) VALUES (?, ?)"),
    remove: database.prepare<[number]>("DELETE FROM block WHERE id = ?"),
    removePayload: database.prepare<[number]>("DELETE FROM payload WHERE block_id = ?"),
    setUse: database.prepare<[number, number, number]>("UPDATE block SET use = ?, last_used_at = ? WHERE id = ?"),
    setConversation: database.prepare<[string | null, string | null, number]>(
      "UPDATE block SET conversation_id = ?, turn_id = ? WHERE id = ?",
    ),
    addToTotal: database.prepare<{ name: string; value: number }>(addToTotalSql),
    total: database.prepare<[string], number>("SELECT value FROM total WHERE name = ?").pluck(),
    logEviction: database.prepare<[number, string]>("INSERT INTO eviction (at, entry) VALUES (?, ?)"),
    trimLog: database.prepare<[number]>(
      "DELETE FROM eviction WHERE id <= (SELECT id FROM eviction ORDER BY id DESC LIMIT 1 OFFSET ?)",
    ),
    forgetEvictions: database.prepare<{ conversationId: string }>(forgetEvictionsSql),
    evictions: database.prepare<[], { at: number; entry: string }>("SELECT at, entry FROM eviction ORDER BY id DESC"),
    fingerprints: database.prepare<[], FingerprintRow>("SELECT fingerprint, parts, layout FROM fingerprint"),
    setFingerprint: database.prepare<FingerprintRow>(setFingerprintSql),
    weightsHash: database
      .prepare<[string, string], string>("SELECT hash FROM weights_hash WHERE path = ? AND identity = ?")
      .pluck(),
    setWeightsHash: database.prepare<[string, string, string]>(setWeightsHashSql),
  };
}

function toRow({ from, tokens, steps, use, ...block }: StoredBlock): BlockRow {
  const bytes = { tokens: tokenBytes(tokens), steps: tokenBytes(steps) };
  return { ...block, ...bytes, position: from, lastUsedMs: use.atMs, use: use.score };
}

function fromRow({ position, tokens, steps, lastUsedMs, use, ...row }: BlockRow): StoredBlock {
  const words = { tokens: wordsOf(tokens), steps: wordsOf(steps) };
  return { ...row, ...words, from: position, use: { score: use, atMs: lastUsedMs } };
}

/** A copy: SQLite's buffer may begin anywhere. A blob of another length than whole words loses the rest. */
function wordsOf(bytes: Buffer): Uint32Array {
  return Uint32Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readUInt32LE(index * 4));
}
