/**
 * What a person waits for, through the whole app, beside llama-server (--peer) on the same file, prompts and threads:
 * both in turn, round by round, since the machine is never the same for long. Quote the ratios.
 */
import type { LoadedModel } from "../../src-main/contract/model.ts";
import { defaultModelPath } from "../helpers/default-model.ts";
import { BenchApp } from "./bench-app.ts";
import { LlamaServerSide } from "./turns/llama-server-side.ts";
import { printTurns } from "./turns/print-turns.ts";
import { PromptTexts } from "./turns/prompt-texts.ts";
import { ratiosOf, type Ratio, type Sample } from "./turns/ratios.ts";
import { RepriseSide } from "./turns/reprise-side.ts";
import { scenarios, type Scenario } from "./turns/scenarios.ts";
import type { Side } from "./turns/side.ts";

const documentTokens = 2_000;
/** What the longest of the conversations needs; what both then have is compared only where both have room. */
const contextTokens = 8_192;
/** Even, since the two ways of switching alternate. */
const defaultRounds = 4;

interface TurnsOptions {
  readonly peer?: string;
  readonly model?: string;
  readonly rounds?: number;
  readonly only?: readonly string[];
}

export interface TurnsResult {
  readonly bench: "turns";
  readonly model: LoadedModel;
  readonly peer: string | null;
  readonly rounds: number;
  readonly ratios: readonly Ratio[];
  readonly samples: readonly Sample[];
}

export async function run(options: TurnsOptions): Promise<TurnsResult> {
  const chosen = chosenScenarios(options.only);
  const modelPath = options.model ?? (await defaultModelPath());
  const rounds = options.rounds ?? defaultRounds;
  await using app = await BenchApp.start(modelPath);
  await app.client.settings.update({ prepareDrafts: "on" });
  const { model } = app;
  await using peer =
    options.peer === undefined
      ? null
      : await LlamaServerSide.start({ binary: options.peer, modelPath, contextTokens, threads: model.tuning });
  const texts = await PromptTexts.ofTokens(documentTokens, await tokenCounter(app));
  const sides: readonly Side[] = [new RepriseSide(app), ...(peer === null ? [] : [peer])];
  const samples: Sample[] = [];
  for (const [name, scenario] of chosen) {
    console.error(`${name} …`);
    samples.push(...(await play(name, scenario, sides, texts, rounds)));
  }
  const ratios = ratiosOf(samples);
  const result: TurnsResult = { bench: "turns", model, peer: options.peer ?? null, rounds, ratios, samples };
  printTurns(result);
  return result;
}

function chosenScenarios(only: readonly string[] | undefined): (readonly [string, Scenario])[] {
  const unknown = only?.find((name) => !(name in scenarios));
  if (unknown !== undefined) {
    throw new Error(`There is no scenario “${unknown}”. There are: ${Object.keys(scenarios).join(", ")}.`);
  }
  return Object.entries(scenarios).filter(([name]) => only?.includes(name) ?? true);
}

async function play(
  scenarioName: string,
  { start, mostRounds = Infinity, oursOnly = false }: Scenario,
  sides: readonly Side[],
  texts: PromptTexts,
  rounds: number,
): Promise<Sample[]> {
  const players: { readonly side: Side; readonly playRound: Awaited<ReturnType<Scenario["start"]>> }[] = [];
  for (const side of oursOnly ? sides.slice(0, 1) : sides) {
    players.push({ side, playRound: await start(side, texts) });
    await side.settled();
  }
  const samples: Sample[] = [];
  for (let round = 0; round < Math.min(rounds, mostRounds); round += 1) {
    // Who goes first changes, so that neither always meets the machine as the other left it.
    for (const { side, playRound } of round % 2 === 0 ? players : players.toReversed()) {
      const visits = new Map<string, number>();
      for (const { step, turn, writtenBytes } of await playRound(round)) {
        const visit = visits.get(step) ?? 0;
        visits.set(step, visit + 1);
        samples.push({ scenario: scenarioName, step, side: side.name, round, visit, writtenBytes, ...turn });
      }
      await side.settled();
    }
  }
  return samples;
}

async function tokenCounter(app: BenchApp): Promise<(text: string) => Promise<number>> {
  const conversationId = await app.newConversation({});
  return async (text) => {
    const measured = await app.client.chat.measure({ conversationId, text });
    if (measured === null) throw new Error("The model is not loaded any more.");
    return measured.promptTokens;
  };
}
