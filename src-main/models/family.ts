/**
 * Which model a file holds a level of. Pure, and of the header alone: the file's name does not count. Levels of one model
 * have its shape and call it the same, each in its own way: converters put size and purpose in fields of their own or
 * leave them in the name, with or without the maker, the converter and the level.
 */
import { createHash } from "node:crypto";
import type { FamilyTraits } from "../contract/model-library.ts";
import { idFromBytes } from "../contract/id.ts";
import type { GgufHeader } from "../gguf/gguf-header.ts";
import { numberValue, textValue } from "../gguf/gguf-values.ts";
import { displayName, wordsOf } from "./family-words.ts";

/**
 * `null` where the header does not name an architecture. `normDigest`: of the model's last norm, which every level keeps
 * as it is; `null` where it could not be read.
 */
export function familyTraits(header: GgufHeader, normDigest: string | null): FamilyTraits | null {
  const architecture = textValue(header, "general.architecture");
  if (architecture === null) return null;
  const parameters = parameterCount(header);
  const structure = structureOf(header, architecture);
  const { words, statement } = identity(header, parameters);
  const weightsMark = normDigest === null ? null : digest(["weights", ...structure, normDigest]);
  const familyId =
    statement === "unnamed"
      ? (weightsMark ?? digest(["shape", ...structure]))
      : digest(["name", words.join(" "), ...structure]);
  return {
    familyId: idFromHex(familyId),
    statement,
    name: statement === "unnamed" ? null : displayName(nameParts(header)),
    weightsMark,
    parametersLabel: parameters === 0 ? null : parametersLabel(parameters),
  };
}

function identity(header: GgufHeader, parameters: number): { words: string[]; statement: FamilyTraits["statement"] } {
  const stated = ["general.basename", "general.finetune", "general.version"].map((key) => textValue(header, key));
  const own = wordsOf(stated[0] === null ? [] : stated, parameters);
  if (own.length > 0) return { words: own, statement: "stated" };
  const named = wordsOf([textValue(header, "general.name"), ...stated], parameters);
  if (textValue(header, "general.name") !== null && named.length > 0) return { words: named, statement: "named" };
  const base = wordsOf([soleBaseModel(header), ...stated], parameters);
  return base.length > 0 ? { words: base, statement: "named" } : { words: [], statement: "unnamed" };
}

/** What it was made from, where that is one model: a mere conversion says no more than this. */
function soleBaseModel(header: GgufHeader): string | null {
  const isSole = (numberValue(header, "general.base_model.count") ?? 1) === 1;
  return isSole ? textValue(header, "general.base_model.0.name") : null;
}

function nameParts(header: GgufHeader): (string | null)[] {
  const text = (key: string) => textValue(header, key);
  const basename = text("general.basename");
  if (basename !== null && wordsOf([basename], 0).length > 0)
    return [basename, text("general.size_label"), text("general.finetune"), text("general.version")];
  const name = text("general.name");
  return [name !== null && wordsOf([name], 0).length > 0 ? name : soleBaseModel(header), text("general.finetune")];
}

/** Everything that is the same at every level of a model and different at every other size of it. */
function structureOf(header: GgufHeader, architecture: string): (string | null)[] {
  const shape = ["block_count", "embedding_length", "attention.head_count", "feed_forward_length", "expert_count"].map(
    (key) => shapeValue(header, `${architecture}.${key}`),
  );
  return [
    architecture,
    ...shape,
    // Written only where it differs by some converters.
    shapeValue(header, `${architecture}.attention.head_count_kv`) ??
      shapeValue(header, `${architecture}.attention.head_count`),
    shapeValue(header, "tokenizer.ggml.model"),
    String(vocabularySize(header)),
    digest(tensorPatterns(header)),
  ];
}

function shapeValue(header: GgufHeader, key: string): string | null {
  const value = header.metadata.get(key);
  if (typeof value === "object") return `[${value.numbers?.join(",") ?? value.length}]`;
  return value === undefined ? null : String(value);
}

function vocabularySize(header: GgufHeader): number {
  const tokens = header.metadata.get("tokenizer.ggml.tokens");
  const rows = header.tensors.find(({ name }) => name === "token_embd.weight")?.shape[1];
  return rows ?? (typeof tokens === "object" ? tokens.length : 0);
}

/** Converters write these for a model or leave them out; they follow from the others. */
const derivedTensor = /^(rope_|output\.weight$)|\.(rope_|attn_rot_embd)/;

/** Names without the layer's number, each once. */
function tensorPatterns({ tensors }: GgufHeader): string[] {
  const names = tensors.filter(({ name }) => !derivedTensor.test(name)).map(({ name }) => name.replace(/\d+/g, "*"));
  return [...new Set(names)].sort();
}

function parameterCount({ tensors }: GgufHeader): number {
  return tensors
    .filter(({ name }) => !name.startsWith("rope_"))
    .reduce((sum, { shape }) => sum + shape.reduce((product, length) => product * length, 1), 0);
}

/** `135M`, `3.2B`, `70B`. */
function parametersLabel(count: number): string {
  const [value, unit] =
    count >= 999.5e6 ? [count / 1e9, "B"] : count >= 999.5e3 ? [count / 1e6, "M"] : [count / 1e3, "K"];
  return `${value < 9.95 ? Number(value.toFixed(1)) : Math.round(value)}${unit}`;
}

function digest(parts: readonly (string | null)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

function idFromHex(hex: string): string {
  return idFromBytes(Buffer.from(hex, "hex").subarray(0, 12));
}
