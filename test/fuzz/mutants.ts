/** Damaged models in files, each as one or two on the disk. Which they are follows from the seed and the number alone. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tinyGguf, tinySplitGguf } from "../helpers/tiny-gguf.ts";
import { mutant } from "./mutations.ts";
import { seededRandom } from "./random.ts";

/** Committed: everybody meets the same files. */
export const fuzzSeed = 20_261_129;

const variants = ["llama", "sliding-window", "recurrent", "hybrid"] as const;
const small = { layers: 2, embedding: 64, heads: 2, keyValueHeads: 1, contextTokens: 512 } as const;

export interface MutantFile extends Disposable {
  /** What would be chosen from the list. */
  readonly path: string;
  readonly what: string;
}

export class Mutants {
  readonly #folder: string;
  readonly #seed: number;
  readonly #whole = variants.map((variant) => ({ variant, bytes: tinyGguf({ ...small, variant }) }));
  readonly #split = tinySplitGguf(small);

  constructor(folder: string, seed: number) {
    this.#folder = folder;
    this.#seed = seed;
  }

  write(number: number): MutantFile {
    const random = seededRandom(this.#seed + number);
    return random.below(8) === 0 ? this.#writeSplit(number, random) : this.#writeOne(number, random);
  }

  #writeOne(number: number, random: ReturnType<typeof seededRandom>): MutantFile {
    const { variant, bytes } = random.pick(this.#whole);
    const changed = mutant(bytes, random);
    return this.#files({ [`mutant-${number}.gguf`]: changed.bytes }, `${variant}: ${changed.what}`);
  }

  #writeSplit(number: number, random: ReturnType<typeof seededRandom>): MutantFile {
    const index = random.below(2);
    const changed = mutant(this.#split[index] ?? this.#split[0], random);
    const [first, second] = [
      index === 0 ? changed.bytes : this.#split[0],
      index === 1 ? changed.bytes : this.#split[1],
    ];
    const name = (part: number) => `mutant-${number}-0000${part}-of-00002.gguf`;
    return this.#files({ [name(1)]: first, [name(2)]: second }, `split, part ${index + 1}: ${changed.what}`);
  }

  #files(files: Readonly<Record<string, Buffer>>, what: string): MutantFile {
    const paths = Object.entries(files).map(([name, bytes]) => {
      const path = join(this.#folder, name);
      writeFileSync(path, bytes);
      return path;
    });
    return {
      path: paths[0] ?? "",
      what,
      [Symbol.dispose]: () => {
        for (const path of paths) rmSync(path, { force: true });
      },
    };
  }
}
