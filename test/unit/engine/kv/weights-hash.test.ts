import { appendFileSync, copyFileSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileIdentity, weightsHash, type WeightsHashCache } from "../../../../src-main/engine/kv/weights-hash.ts";
import { ggufBytes } from "../../../helpers/gguf-writer.ts";
import { temporaryFolder } from "../../../helpers/temporary-folder.ts";
import { tinyGguf } from "../../../helpers/tiny-gguf.ts";

const nothingKnown: WeightsHashCache = { get: () => null, set: () => undefined };

function remembering() {
  const known = new Map<string, string>();
  const asked: string[] = [];
  const cache: WeightsHashCache = {
    get: (path, identity) => {
      const found = known.get(`${path} ${identity}`) ?? null;
      asked.push(found === null ? "unknown" : "known");
      return found;
    },
    set: (path, identity, hash) => known.set(`${path} ${identity}`, hash),
  };
  return { cache, asked };
}

/** `wholeUpToBytes` 0: as a file too large to be read whole. */
describe.each([
  ["read whole", Infinity],
  ["too large for that", 0],
])("a model file %s", (_, wholeUpToBytes) => {
  const hashOf = (path: string) => weightsHash(path, nothingKnown, wholeUpToBytes);

  test("has the same hash at another place and at another time", () => {
    const folder = temporaryFolder();
    const [one, two] = [join(folder, "one.gguf"), join(folder, "two.gguf")];
    writeFileSync(one, tinyGguf());
    copyFileSync(one, two);
    utimesSync(two, 1, 1);
    expect(hashOf(one)).toMatch(/^[0-9a-f]{64}$/);
    expect(hashOf(two)).toBe(hashOf(one));
  });

  test("has another one when another model takes its name", () => {
    const path = join(temporaryFolder(), "model.gguf");
    writeFileSync(path, tinyGguf({ seed: 1 }));
    const before = hashOf(path);
    writeFileSync(path, tinyGguf({ seed: 2 }));
    expect(hashOf(path)).not.toBe(before);
  });

  test("has another one when only a key in its header differs", () => {
    const folder = temporaryFolder();
    const [one, two] = [join(folder, "one.gguf"), join(folder, "two.gguf")];
    writeFileSync(one, tinyGguf({ name: "Tiny" }));
    writeFileSync(two, tinyGguf({ name: "Tine" }));
    expect(hashOf(one)).not.toBe(hashOf(two));
  });

  test("has another one when a single tensor was exchanged", () => {
    const folder = temporaryFolder();
    const [one, two] = [join(folder, "one.gguf"), join(folder, "two.gguf")];
    const tensors = ["a", "b", "c"].map((name) => ({
      name,
      shape: [4_096, 8],
      values: new Float32Array(32_768).fill(1),
    }));
    const exchanged = tensors.map((tensor) =>
      tensor.name === "b" ? { ...tensor, values: new Float32Array(32_768).fill(2) } : tensor,
    );
    writeFileSync(one, ggufBytes({ "general.architecture": "llama" }, tensors));
    writeFileSync(two, ggufBytes({ "general.architecture": "llama" }, exchanged));
    expect(readFileSync(one).length).toBe(readFileSync(two).length);
    expect(hashOf(one)).not.toBe(hashOf(two));
  });

  test("has another one when it became longer", () => {
    const path = join(temporaryFolder(), "model.gguf");
    writeFileSync(path, tinyGguf());
    const before = hashOf(path);
    appendFileSync(path, Buffer.alloc(64));
    expect(hashOf(path)).not.toBe(before);
  });

  test("in several parts has the hash of all of them", () => {
    const folder = temporaryFolder();
    const part = (number: number, value: number) => {
      const tensors = [{ name: `t${number}`, shape: [64], values: new Float32Array(64).fill(value) }];
      const path = join(folder, `big-0000${number}-of-00002.gguf`);
      writeFileSync(path, ggufBytes({ "general.architecture": "llama", "split.count": 2 }, tensors));
      return path;
    };
    const first = part(1, 1);
    part(2, 1);
    const before = hashOf(first);
    part(2, 2);
    expect(hashOf(first)).not.toBe(before);
    rmSync(part(2, 2));
    expect(() => hashOf(first)).toThrow("ENOENT");
  });
});

describe("a hash that was computed", () => {
  test("is not computed again while the file is the same", () => {
    const path = join(temporaryFolder(), "model.gguf");
    writeFileSync(path, tinyGguf());
    const { cache, asked } = remembering();
    expect(weightsHash(path, cache)).toBe(weightsHash(path, cache));
    expect(asked).toEqual(["unknown", "known"]);
  });

  test("is computed again for another file of the same name, size and time of writing", () => {
    const folder = temporaryFolder();
    const path = join(folder, "model.gguf");
    const { cache, asked } = remembering();
    writeFileSync(path, tinyGguf({ seed: 1 }));
    utimesSync(path, 1_000, 1_000);
    const before = weightsHash(path, cache);
    const other = join(folder, "other.gguf");
    writeFileSync(other, tinyGguf({ seed: 2 }));
    utimesSync(other, 1_000, 1_000);
    renameSync(other, path);
    expect(weightsHash(path, cache)).not.toBe(before);
    expect(asked).toEqual(["unknown", "unknown"]);
  });

  test("belongs to an identity that changes when the file is written to", () => {
    const path = join(temporaryFolder(), "model.gguf");
    writeFileSync(path, tinyGguf());
    const before = fileIdentity(path);
    expect(fileIdentity(path)).toBe(before);
    appendFileSync(path, "x");
    expect(fileIdentity(path)).not.toBe(before);
  });
});

test("what is no model file has no hash", () => {
  const path = join(temporaryFolder(), "model.gguf");
  writeFileSync(path, "not a model at all, only text");
  expect(() => weightsHash(path, nothingKnown)).toThrow("not a GGUF file");
});
