/** Which models stay in memory when another one is to be loaded beside them. */

export interface ResidentFacts<Id> {
  readonly id: Id;
  /** What it would give back: weights, cache and compute buffers. */
  readonly bytes: number;
}

export interface ResidentChoice<Id> {
  /** Of the new one, with the context it begins with; `null`: nobody knows. */
  readonly neededBytes: number | null;
  readonly freeBytes: number;
  /** What must stay free for the rest of the machine. */
  readonly reserveBytes: number;
  /** The one longest unused first. */
  readonly residents: readonly ResidentFacts<Id>[];
}

export interface ResidentPlan<Id> {
  /** To be closed before the new one is loaded. */
  readonly close: readonly Id[];
  /** The new one fits then. */
  readonly isFitting: boolean;
}

/** With the new one. More would seldom be gone back to, and each is memory that files are not cached in. */
const mostResidents = 3;

/**
 * As many stay as fit beside the new one, those used last before the others. Where not even all that make way are
 * enough, or nobody knows what is needed, none stays: whoever wants the new one shall have it if it can be had.
 */
export function planResidents<Id>(choice: ResidentChoice<Id>): ResidentPlan<Id> {
  const { neededBytes, freeBytes, reserveBytes, residents } = choice;
  const all = residents.map(({ id }) => id);
  if (neededBytes === null) return { close: all, isFitting: true };
  const least = Math.max(0, residents.length + 1 - mostResidents);
  for (let closed = least; closed <= residents.length; closed += 1) {
    const givenBack = residents.slice(0, closed).reduce((sum, { bytes }) => sum + bytes, 0);
    if (freeBytes + givenBack - neededBytes >= reserveBytes) return { close: all.slice(0, closed), isFitting: true };
  }
  return { close: all, isFitting: false };
}

/** Which make way for so many bytes, the one longest unused first; all where they are not enough. */
export function planRelease<Id>(missingBytes: number, residents: readonly ResidentFacts<Id>[]): Id[] {
  const close: Id[] = [];
  let missing = missingBytes;
  for (const { id, bytes } of residents) {
    if (missing <= 0) break;
    close.push(id);
    missing -= bytes;
  }
  return close;
}
