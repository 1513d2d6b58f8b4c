/**
 * How many parked cells a decode step hardly notices, found by trying: steps with some parked and without, in turns, so
 * that other load on the machine hits both alike.
 */
import type { StateFolder } from "../llama/state-folder.ts";
import { activeSequence } from "./cell-ledger.ts";
import { scratchSequence } from "./cell-stream.ts";
import { StateFile } from "./read-state-file.ts";
import type { StateContext } from "./state-context.ts";
import { StateFileWriter } from "./write-state-file.ts";

interface ParkedBudgetContext extends StateContext {
  computeToken(position: number, token: number): Promise<number>;
}

export interface ParkedBudgetOptions {
  readonly context: ParkedBudgetContext;
  readonly folder: StateFolder;
  /** What is in place in the active sequence; at least one. */
  readonly tokens: readonly number[];
  readonly freeCells: number;
  /** Somebody waits for an answer: the trial gives way between two steps, and was none. */
  readonly isWanted?: () => boolean;
}

const allowedShare = 0.02;
const triedCells = 1_024;
const rounds = 3;
const stepsPerRound = 4;
/** So many at once are written fast. */
const repeatedTokens = 64;

/**
 * `null` where there is too little room to try, or somebody came first. Leaves the cells as they were. A step that fails throws; then nothing is
 * known of the cells.
 */
export async function measureParkedBudget(options: ParkedBudgetOptions): Promise<number | null> {
  const { context, tokens, freeCells } = options;
  const cells = Math.min(triedCells, freeCells - 1);
  if (tokens.length === 0 || cells < 64) return null;
  const without: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    without.push(...(await stepTimes(options)));
    if (options.isWanted?.() === true) return null;
    await park(options, cells);
    try {
      beside.push(...(await stepTimes(options)));
    } finally {
      context.sequences.remove(scratchSequence);
    }
    if (options.isWanted?.() === true) return null;
  }
  return allowedCells(Math.min(...without), Math.min(...beside), cells);
}

/**
 * The fastest steps are compared: what slows a step down is never the step itself. Nothing is claimed of more cells than
 * were tried.
 */
function allowedCells(withoutMs: number, besideMs: number, cells: number): number {
  const msPerCell = Math.max(0, besideMs - withoutMs) / cells;
  return msPerCell === 0 ? cells : Math.min(cells, Math.floor((allowedShare * withoutMs) / msPerCell));
}

async function stepTimes({ context, tokens, isWanted }: ParkedBudgetOptions): Promise<number[]> {
  const times: number[] = [];
  for (let step = 0; step < stepsPerRound && isWanted?.() !== true; step += 1) {
    const startMs = performance.now();
    await context.computeToken(tokens.length, tokens.at(-1) ?? 0);
    times.push(performance.now() - startMs);
    context.sequences.remove(activeSequence, tokens.length);
  }
  return times;
}

/** Cells that hold anything at all: what the last tokens of the conversation hold, over and over. */
async function park({ context, folder, tokens }: ParkedBudgetOptions, cells: number): Promise<void> {
  const to = tokens.length;
  const from = Math.max(0, to - repeatedTokens);
  await folder.use(cells * context.cellBytes, async (path) => {
    const { layout, rows } = await folder.use((to - from) * context.cellBytes, async (sample) => {
      await context.sequences.saveFrom(sample, { sequence: activeSequence, from, scratch: scratchSequence });
      using file = new StateFile(sample);
      return { layout: file.layout, rows: file.cut([{ from, to }])[0] ?? Buffer.alloc(0) };
    });
    using writer = new StateFileWriter(path, {
      layout,
      valuesByColumn: context.valuesByColumn,
      from: 0,
      tokenCount: cells,
    });
    for (let cell = 0; cell < cells; cell += to - from) writer.add(rows, to - from, Math.min(to - from, cells - cell));
    await context.sequences.load(path, scratchSequence, writer.finish());
  });
}
