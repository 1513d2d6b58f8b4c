/** The library as it is shown: files with their copies, and a card for all levels of one model. Pure. */
import { errorView, RepriseError } from "../contract/errors.ts";
import type { FamilyCard, FamilyTraits, ModelFacts } from "../contract/model-library.ts";
import type { FamilySettings, LoadOptions } from "../contract/model-settings.ts";
import type { ModelSpeed } from "../contract/model-switch.ts";
import type { ModelFile, ModelSource } from "../contract/model.ts";
import { familyLevels, type LevelFacts } from "./family-levels.ts";
import type { FileStamp } from "./file-stamp.ts";

/** One file of the library. */
export interface LibraryEntry {
  readonly id: string;
  readonly path: string;
  /** Where links lead to; two paths of the same place are one file. */
  readonly realPath: string;
  readonly source: ModelSource;
  readonly isDefault: boolean;
  readonly name: string;
  readonly sizeBytes: number;
  /** Of its first file, where it lies in several. */
  readonly stamp: FileStamp;
  readonly facts: ModelFacts | null;
  readonly problem: RepriseError | null;
  readonly sha256: string | null;
}

function isReadOnlySource(source: ModelSource): boolean {
  return source !== "own" && source !== "added";
}

/** Of the models only. A file that says nothing of its model belongs to the named ones that have the very same weights. */
export function familyIds(entries: readonly LibraryEntry[]): ReadonlyMap<string, string> {
  const traits = entries.flatMap(({ facts }) => facts?.traits ?? []);
  const named = traits.filter(({ statement }) => statement !== "unnamed");
  const byMark = Map.groupBy(named, ({ weightsMark }) => weightsMark);
  const familyOf = ({ familyId, statement, weightsMark }: FamilyTraits): string => {
    if (statement !== "unnamed" || weightsMark === null) return familyId;
    const candidates = new Set(byMark.get(weightsMark)?.map((other) => other.familyId));
    const [only] = candidates;
    return candidates.size === 1 && only !== undefined ? only : familyId;
  };
  return new Map(entries.flatMap(({ id, facts }) => (facts?.traits ? [[id, familyOf(facts.traits)] as const] : [])));
}

/** The default model first, then by name; the very same file in several places once, in the first of them. */
export function modelFiles(
  entries: readonly LibraryEntry[],
  loadOptions: (modelId: string) => LoadOptions,
): ModelFile[] {
  const families = familyIds(entries);
  return sameFiles(entries)
    .map(([entry, ...copies]) => ({
      id: entry.id,
      path: entry.path,
      name: entry.name,
      sizeBytes: entry.sizeBytes,
      isDefault: entry.isDefault,
      kind: entry.facts?.kind ?? "model",
      familyId: families.get(entry.id) ?? null,
      source: entry.source,
      isReadOnly: isReadOnlySource(entry.source),
      sha256: entry.sha256,
      copies: copies.map(({ id, path, source }) => ({ modelId: id, path, source })),
      summary: entry.facts?.summary ?? null,
      problem: entry.problem === null ? null : errorView(entry.problem),
      loadOptions: loadOptions(entry.id),
    }))
    .sort((one, other) => Number(other.isDefault) - Number(one.isDefault) || one.name.localeCompare(other.name));
}

/** Also where it is shown as a copy of another. Throws NOT_FOUND. */
export function fileWithId(files: readonly ModelFile[], modelId: string): ModelFile {
  const file = files.find(({ id, copies }) => id === modelId || copies.some((copy) => copy.modelId === modelId));
  if (file !== undefined) return file;
  const sentence = "The file was taken off the list while it was being added. Add it again.";
  throw new RepriseError("NOT_FOUND", sentence, { what: "model", id: modelId });
}

type Group = [LibraryEntry, ...LibraryEntry[]];

/** By where they lie, then by their hash. The user's own come before other programs'. */
function sameFiles(entries: readonly LibraryEntry[]): Group[] {
  const places = group(entries.toSorted(byPrecedence), ({ realPath }) => realPath);
  const files = group(places, (place) => place.find(({ sha256 }) => sha256 !== null)?.sha256 ?? place[0].realPath);
  return files.map((groups) => groups.flat() as Group);
}

function group<Item>(items: readonly Item[], keyOf: (item: Item) => string): [Item, ...Item[]][] {
  return [...Map.groupBy(items, keyOf).values()] as [Item, ...Item[]][];
}

const precedence: readonly ModelSource[] = ["own", "added", "watched", "lm-studio", "jan", "ollama", "hub-cache"];

function byPrecedence(one: LibraryEntry, other: LibraryEntry): number {
  return (
    Number(other.isDefault) - Number(one.isDefault) ||
    precedence.indexOf(one.source) - precedence.indexOf(other.source) ||
    (one.path < other.path ? -1 : Number(one.path > other.path))
  );
}

interface CardSources {
  readonly settings: (familyId: string) => FamilySettings;
  readonly speedOf: (entry: LibraryEntry) => ModelSpeed | null;
}

/** By name; levels by size. What is no model, and what could not be read, is on none. */
export function familyCards(
  entries: readonly LibraryEntry[],
  files: readonly ModelFile[],
  { settings, speedOf }: CardSources,
): FamilyCard[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const levelFacts = (modelId: string): LevelFacts => {
    const entry = byId.get(modelId);
    return { footprint: entry?.facts?.footprint ?? null, speed: entry === undefined ? null : speedOf(entry) };
  };
  const traitsOf = (members: readonly ModelFile[]) => members.flatMap(({ id }) => byId.get(id)?.facts?.traits ?? []);
  const families = group(
    files.filter(({ familyId }) => familyId !== null),
    ({ familyId }) => String(familyId),
  );
  return families
    .map((members) => card(members, traitsOf(members), familyLevels(members, levelFacts), settings))
    .sort((one, other) => one.name.localeCompare(other.name) || (one.id < other.id ? -1 : 1));
}

function card(
  members: readonly [ModelFile, ...ModelFile[]],
  traits: readonly FamilyTraits[],
  levels: FamilyCard["levels"],
  settings: CardSources["settings"],
): FamilyCard {
  const [first] = members;
  const id = String(first.familyId);
  return {
    id,
    name: members.find(({ isDefault }) => isDefault)?.name ?? statedName(traits) ?? first.name,
    architecture: first.summary?.architecture ?? "",
    parametersLabel: traits.find(({ parametersLabel }) => parametersLabel !== null)?.parametersLabel ?? null,
    levels,
    settings: settings(id),
  };
}

function statedName(traits: readonly FamilyTraits[]): string | null {
  const named = traits.find(({ statement }) => statement === "stated") ?? traits.find(({ name }) => name !== null);
  return named?.name ?? null;
}
