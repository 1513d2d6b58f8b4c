/** What of a repository's files is a model: grouped into levels, with what goes beside a model set apart. */
import type { HubExtra, HubFile, HubLevel } from "../contract/hub.ts";
import { approximateBits, quantizationOf } from "./quantization-name.ts";
import { readSplitName } from "./split-name.ts";

/** What most machines run well and few people can tell from more. */
const preferredLevel = "Q4_K_M";

/** Both sorted; a split model that has not all of its parts is none. */
export function groupLevels(files: readonly HubFile[]): { levels: HubLevel[]; others: HubExtra[] } {
  const models = files.filter(({ path }) => path.toLowerCase().endsWith(".gguf"));
  const others = models.flatMap((file) => {
    const kind = extraKind(file.path);
    return kind === null ? [] : [{ ...file, kind }];
  });
  const groups = Map.groupBy(
    models.filter(({ path }) => extraKind(path) === null),
    ({ path }) => stemOf(path),
  );
  const whole = [...groups].flatMap(([stem, parts]) => {
    const ordered = inOrder(parts);
    return ordered === null ? [] : [{ stem, parts: ordered }];
  });
  return { levels: named(whole).sort((one, other) => one.sizeBytes - other.sizeBytes), others };
}

/** Throws nothing: the first of `levels` is good enough where no name says more. */
export function suggestLevel(levels: readonly [HubLevel, ...HubLevel[]]): HubLevel {
  const wanted = approximateBits(preferredLevel) ?? 0;
  /** Among the equally far the larger is the better one. */
  const distance = ({ quantization }: HubLevel): number => {
    if (quantization === preferredLevel) return -1;
    const bits = quantization === null ? null : approximateBits(quantization);
    if (bits === null) return Infinity;
    return bits < wanted ? wanted - bits + 0.01 : bits - wanted;
  };
  return levels.reduce((best, level) => (distance(level) < distance(best) ? level : best));
}

function extraKind(path: string): HubExtra["kind"] | null {
  const name = fileName(path);
  if (/mmproj/i.test(name)) return "projector";
  if (/imatrix/i.test(name)) return "importance-matrix";
  return /(^|[-._])lora([-._]|$)/i.test(name) ? "adapter" : null;
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The path without ending and number of the part: what all parts of a model have in common. */
function stemOf(path: string): string {
  const name = fileName(path);
  const folder = path.slice(0, path.length - name.length);
  const split = readSplitName(name);
  return split === null ? path.replace(/\.gguf$/i, "") : `${folder}${split.stem}-of-${split.count}`;
}

/** `null` where some are missing, or are there twice. */
function inOrder(parts: readonly HubFile[]): [HubFile, ...HubFile[]] | null {
  const numbered = parts
    .map((file) => ({ file, split: readSplitName(fileName(file.path)) }))
    .sort((one, other) => (one.split?.part ?? 1) - (other.split?.part ?? 1));
  const count = numbered[0]?.split?.count ?? 1;
  const isWhole = numbered.length === count && numbered.every(({ split }, index) => (split?.part ?? 1) === index + 1);
  const [first, ...rest] = numbered.map(({ file }) => file);
  return isWhole && first !== undefined ? [first, ...rest] : null;
}

/** A level is called by its quantization, unless another one has the same. */
function named(models: readonly { stem: string; parts: [HubFile, ...HubFile[]] }[]): HubLevel[] {
  const counts = Map.groupBy(models, ({ stem }) => quantizationOf(stem));
  return models.map(({ stem, parts }) => {
    const quantization = quantizationOf(stem);
    const isOnly = quantization !== null && counts.get(quantization)?.length === 1;
    const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
    return { name: isOnly ? quantization : stem, quantization, sizeBytes, files: parts };
  });
}
