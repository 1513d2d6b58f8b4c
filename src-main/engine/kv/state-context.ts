/** What of llama.cpp moves states between cells and files. */
export interface StateContext {
  readonly sequences: {
    copy(target: number, source: number): Promise<void>;
    remove(sequence: number, from?: number | null, to?: number | null): boolean;
    saveFrom(
      path: string,
      range: { readonly sequence: number; readonly from: number; readonly to?: number; readonly scratch: number },
    ): Promise<void>;
    saveWhole(path: string): Promise<void>;
    load(path: string, sequence: number, sizeBytes: number): Promise<void>;
  };
  readonly valuesByColumn: boolean;
  /** Roughly, of one token's cell. */
  readonly cellBytes: number;
  /** Of a state that is the same for any number of tokens. */
  readonly fixedBytes: number;
}

/** A file holds more than the cells: room for that too. */
export const stateOverhead = 1.1;

/** Roughly, of a whole state of so many tokens. */
export function snapshotBytes({ cellBytes, fixedBytes }: StateContext, tokens: number): number {
  return (tokens * cellBytes + fixedBytes) * stateOverhead;
}
