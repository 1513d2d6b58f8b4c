/**
 * What a model file holds, as a hash that does not depend on its name or place. Small files are read whole. Of large ones
 * (reading 30 GB takes minutes) all of the header is: every key, every tensor's name, type, shape and place; and of each
 * tensor its first and last bytes and a piece of every few megabytes. Another quantization, another fine-tune, a merge or
 * an exchanged tensor changes every piece of a tensor; only an edit of single bytes by hand could be missed.
 */
import { createHash, type Hash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync, statSync, type BigIntStats } from "node:fs";
import { resolve } from "node:path";
import { readGgufHeader, type GgufHeader } from "../../gguf/gguf-header.ts";
import { partPaths } from "../../gguf/gguf-parts.ts";

/** Remembers hashes of files that have not changed since. */
export interface WeightsHashCache {
  get(path: string, identity: string): string | null;
  set(path: string, identity: string, hash: string): void;
}

const pieceBytes = 4_096;
const strideBytes = 4 << 20;
const chunkBytes = 4 << 20;
const readWholeUpToBytes = 256 << 20;

/** Changes whenever the file is written to, replaced or moved over, even where its time of writing is kept. */
export function fileIdentity(path: string): string {
  return identityText(statSync(path, { bigint: true }));
}

/** The same of all files of a model. Throws GgufError, the system's error. */
export function weightsIdentity(path: string): string {
  return identityOf(partPaths(path, readGgufHeader(path)));
}

/** What was found before, for a content that is still the same; `null` where it was not. Throws as weightsIdentity. */
export function knownWeightsHash(path: string, cache: Pick<WeightsHashCache, "get">): string | null {
  return cache.get(resolve(path), weightsIdentity(path));
}

/** 64 hexadecimal digits. Throws GgufError, the system's error, or an error when the file changes meanwhile. */
export function weightsHash(path: string, cache: WeightsHashCache, wholeUpToBytes = readWholeUpToBytes): string {
  const parts = partPaths(path, readGgufHeader(path));
  const identity = identityOf(parts);
  const known = cache.get(resolve(path), identity);
  if (known !== null) return known;
  const hash = createHash("sha256");
  for (const part of parts) addFile(hash, part, wholeUpToBytes);
  if (identityOf(parts) !== identity) throw new Error(`${path} changed while it was read`);
  const digest = hash.digest("hex");
  cache.set(resolve(path), identity, digest);
  return digest;
}

function addFile(hash: Hash, path: string, wholeUpToBytes: number): void {
  const header = readGgufHeader(path);
  const file = openSync(path, "r");
  try {
    const sizeBytes = fstatSync(file).size;
    hash.update(`gguf ${sizeBytes}\n`);
    if (sizeBytes <= wholeUpToBytes) addRange(hash, file, 0, sizeBytes);
    else addSamples(hash, file, header, sizeBytes);
  } finally {
    closeSync(file);
  }
}

function addSamples(hash: Hash, file: number, { tensors }: GgufHeader, sizeBytes: number): void {
  const starts = tensors.map(({ offsetBytes }) => offsetBytes).sort((a, b) => a - b);
  addRange(hash, file, 0, starts[0] ?? sizeBytes);
  for (const [index, start] of starts.entries()) {
    const end = starts[index + 1] ?? sizeBytes;
    for (let from = start; from < end; from += strideBytes)
      addRange(hash, file, from, Math.min(from + pieceBytes, end));
    addRange(hash, file, Math.max(start, end - pieceBytes), end);
  }
}

/** Synchronous, like everything that reads files in this process: its one worker thread may be computing. */
function addRange(hash: Hash, file: number, from: number, end: number): void {
  const buffer = Buffer.allocUnsafeSlow(Math.max(0, Math.min(chunkBytes, end - from)));
  for (let position = from; position < end;) {
    const received = readSync(file, buffer, 0, Math.min(buffer.length, end - position), position);
    if (received === 0) throw new Error("the model file became shorter while it was read");
    hash.update(buffer.subarray(0, received));
    position += received;
  }
}

function identityOf(paths: readonly string[]): string {
  return paths.map(fileIdentity).join(" ");
}

function identityText({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join(":");
}
