/** The models as the menu offers them: the levels of the one that answers here first, then those of the others. */
import type { FamilyCard, FamilyLevel } from "../../src-main/contract/model-library.ts";
import type { ModelFile } from "../../src-main/contract/model.ts";

export interface LevelChoice {
  readonly file: ModelFile;
  readonly level: FamilyLevel;
  /** The digit that chooses it, from 1 to 9; `null`: none does. */
  readonly digit: number | null;
  /** The others are compared with it; told where there are others. */
  readonly isReference: boolean;
  /** Of those that are compared with the reference, it has the most bits a weight; told where there is a choice. */
  readonly isClosest: boolean;
}

interface FamilyChoices {
  readonly id: string;
  readonly name: string;
  /** Smallest first. */
  readonly choices: readonly LevelChoice[];
}

interface ModelGroups {
  /** `null` where no model answers here, or none that a family is known of. */
  readonly own: FamilyChoices | null;
  readonly others: readonly FamilyChoices[];
  /** Of no family: they cannot be read, or were not looked into yet. */
  readonly rest: readonly ModelFile[];
}

type Pair = Pick<LevelChoice, "file" | "level">;

const lastDigit = 9;

/** `present`: the model that answers here. A level whose file is not listed (any more) is left out. */
export function modelGroups(
  files: readonly ModelFile[],
  families: readonly FamilyCard[],
  present: ModelFile | null,
): ModelGroups {
  const groups = families.map(({ id, name, levels }) => ({
    id,
    name,
    pairs: levels.flatMap((level) => {
      const file = files.find((listed) => isCalled(listed, level.modelId));
      return file === undefined ? [] : [{ file, level }];
    }),
  }));
  const isOwn = (pairs: readonly { readonly file: ModelFile }[]) => pairs.some(({ file }) => file.id === present?.id);
  const ofFamilies = new Set(groups.flatMap(({ pairs }) => pairs.map(({ file }) => file.id)));
  const [own] = groups.filter(({ pairs }) => isOwn(pairs));
  return {
    own: own === undefined ? null : { id: own.id, name: own.name, choices: choicesOf(own.pairs, lastDigit) },
    others: groups
      .filter(({ pairs }) => pairs.length > 0 && !isOwn(pairs))
      .map(({ id, name, pairs }) => ({ id, name, choices: choicesOf(pairs, 0) })),
    rest: files.filter(({ id }) => !ofFamilies.has(id)),
  };
}

/** The level this digit chooses; `null` where there is none. */
export function choiceOf(groups: ModelGroups, digit: number): LevelChoice | null {
  return groups.own?.choices.find((choice) => choice.digit === digit) ?? null;
}

/** What cannot be chosen has no digit. */
function choicesOf(pairs: readonly Pair[], digits: number): readonly LevelChoice[] {
  const closest = closestTo(pairs);
  let given = 0;
  return pairs.map((pair) => {
    const isNumbered = pair.file.problem === null && given < digits;
    return {
      ...pair,
      digit: isNumbered ? (given += 1) : null,
      isReference: pair.level.isReference && pairs.length > 1,
      isClosest: pair.level === closest,
    };
  });
}

function closestTo(pairs: readonly Pair[]): FamilyLevel | null {
  const compared = pairs
    .map(({ level }) => level)
    .filter((level) => !level.isReference && level.bitsPerWeight !== null);
  if (compared.length < 2) return null;
  return compared.reduce((best, level) => ((level.bitsPerWeight ?? 0) > (best.bitsPerWeight ?? 0) ? level : best));
}

function isCalled({ id, copies }: ModelFile, modelId: string): boolean {
  return id === modelId || copies.some((copy) => copy.modelId === modelId);
}
