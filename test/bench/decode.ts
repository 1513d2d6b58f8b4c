/**
 * Decode speed, against llama-bench (--peer) on the same file: rounds of both in turn, since the machine is never the
 * same for long. Two measurements of ours: the engine's loop alone at exactly the peer's depths, and answers streamed
 * through the whole app (headless) by the client's clock. Quote the ratios.
 *
 * llama-bench computes before it measures: a warm-up, and the tokens up to the depth. So in every round an answer of each
 * of ours goes before those that count. The app's is told apart: it is what somebody gets who was away for a while.
 */
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { LoadedModel } from "../../src-main/contract/model.ts";
import { median, threadCandidates } from "../../src-main/engine/tuning/choose-threads.ts";
import { defaultModelPath } from "../helpers/default-model.ts";
import { BenchApp } from "./bench-app.ts";
import type { DecodeSpeed, DecodeTask } from "./decode-child.ts";
import { killAtExit } from "./kill-at-exit.ts";

const depths = [8, 512] as const;
const tokens = 64;
const defaultRounds = 7;
const mostAttempts = 8;

interface PeerSpeed {
  readonly threads: number;
  readonly depth: number;
  readonly tokensPerSecond: number;
}

interface DepthResult {
  readonly depth: number;
  readonly oursTokensPerSecond: number;
  /** At its best number of threads; `null` without a peer. */
  readonly peerTokensPerSecond: number | null;
  readonly peerThreads: number | null;
  /** Median of the rounds' ratios. */
  readonly ratio: number | null;
  /** Each round's tokens a second: ours with its threads at the end, the peer's at its best number. */
  readonly rounds: readonly { readonly ours: number; readonly threads: number; readonly peer: number | null }[];
}

interface DecodeResult {
  readonly model: string;
  /** The loop's; the app measures for itself. */
  readonly tuning: LoadedModel["tuning"];
  readonly appTuning: LoadedModel["tuning"];
  readonly flashAttention: boolean;
  readonly loop: readonly DepthResult[];
  /** The first answer of each round, seconds after the one before. */
  readonly afterPause: DepthResult;
  readonly streamed: readonly DepthResult[];
}

interface Round {
  readonly afterPause: DecodeSpeed;
  readonly loop: readonly DecodeSpeed[];
  readonly streamed: readonly DecodeSpeed[];
  readonly peer: readonly PeerSpeed[];
}

export async function run(options: { peer?: string; model?: string; rounds?: number }): Promise<DecodeResult> {
  const { rounds = defaultRounds } = options;
  const path = options.model ?? (await defaultModelPath());
  await using loop = await startLoop(path);
  await using app = await BenchApp.start(path);
  const results: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const ours = async () => ({
      loop: (await inTurn([depths[0], ...depths], (depth) => loop.decode({ depth, tokens, seed: round + 1 }))).slice(1),
      afterPause: await streamedAnswer(app, depths[0], round + 1),
      streamed: await inTurn(depths, (depth) => streamedAnswer(app, depth, round + 1)),
    });
    const peer = () =>
      options.peer === undefined ? Promise.resolve([]) : peerSpeeds(options.peer, path, loop.flashAttention);
    // Who goes first changes, so that neither always meets the machine as the other left it.
    if (round % 2 === 0) results.push({ ...(await ours()), peer: await peer() });
    else results.push({ peer: await peer(), ...(await ours()) });
  }
  const result = {
    model: path,
    tuning: loop.tuning,
    appTuning: app.model.tuning,
    flashAttention: loop.flashAttention,
    loop: depths.map((depth, index) => depthResult(results, depth, ({ loop: speeds }) => speeds[index])),
    afterPause: depthResult(results, depths[0], ({ afterPause }) => afterPause),
    streamed: depths.map((depth, index) => depthResult(results, depth, ({ streamed }) => streamed[index])),
  };
  print(result);
  return result;
}

function depthResult(
  results: readonly Round[],
  depth: number,
  ourSpeed: (round: Round) => DecodeSpeed | undefined,
): DepthResult {
  const speeds = results.map((round) => ourSpeed(round) ?? { threads: NaN, tokensPerSecond: NaN });
  const byThreads = Map.groupBy(
    results.flatMap(({ peer }) => peer).filter((speed) => speed.depth === depth),
    ({ threads }) => threads,
  );
  const medians = [...byThreads].map(([threads, all]) => ({
    threads,
    tokensPerSecond: median(all.map(({ tokensPerSecond }) => tokensPerSecond)),
  }));
  const best = medians.toSorted((a, b) => b.tokensPerSecond - a.tokensPerSecond)[0] ?? null;
  const perRound = speeds.map(({ threads, tokensPerSecond }, index) => {
    const rival = results[index]?.peer.find((speed) => speed.depth === depth && speed.threads === best?.threads);
    return { ours: tokensPerSecond, threads, peer: rival?.tokensPerSecond ?? null };
  });
  const ratios = perRound.flatMap((speed) => (speed.peer === null ? [] : [speed.ours / speed.peer]));
  return {
    depth,
    oursTokensPerSecond: median(speeds.map(({ tokensPerSecond }) => tokensPerSecond)),
    peerTokensPerSecond: best?.tokensPerSecond ?? null,
    peerThreads: best?.threads ?? null,
    ratio: ratios.length === 0 ? null : median(ratios),
    rounds: perRound,
  };
}

/** One run of llama-bench over all depths and thread counts. */
async function peerSpeeds(binary: string, path: string, flashAttention: boolean): Promise<PeerSpeed[]> {
  const threads = threadCandidates(availableParallelism()).join(",");
  const settings = ["-t", threads, "-fa", flashAttention ? "1" : "0", "-d", depths.join(","), "-r", "1"];
  const parameters = ["-m", path, "-p", "0", "-n", String(tokens), ...settings, "-o", "json"];
  const { stdout } = await promisify(execFile)(binary, parameters, { maxBuffer: 1 << 24 });
  const runs = JSON.parse(stdout) as { n_threads: number; n_depth: number; avg_ts: number }[];
  return runs.map((entry) => ({ threads: entry.n_threads, depth: entry.n_depth, tokensPerSecond: entry.avg_ts }));
}

async function startLoop(path: string) {
  const script = fileURLToPath(new URL("decode-child.ts", import.meta.url));
  const child = fork(script, [path], { env: { ...process.env, UV_THREADPOOL_SIZE: "1" }, stdio: "inherit" });
  const forget = killAtExit(Number(child.pid));
  const [model] = (await once(child, "message")) as [Pick<LoadedModel, "tuning" | "flashAttention">];
  return {
    ...model,
    decode: async (task: DecodeTask): Promise<DecodeSpeed> => {
      const answered = once(child, "message");
      child.send(task);
      const [speed] = (await answered) as [DecodeSpeed];
      return speed;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
      forget();
    },
  };
}

/**
 * A chat turn of about that depth (a template's own text makes a short one longer), by the clock of the client that
 * reads it. An answer that ends too soon says little, so another is asked for.
 */
async function streamedAnswer(app: BenchApp, depth: number, seed: number): Promise<DecodeSpeed> {
  const items = Array.from({ length: Math.floor(depth / 13) }, (_, item) => `Item ${item} is on shelf ${item % 31}.`);
  const text = [...items, "Go on with this list, as long as you can."].join("\n");
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const sampling = { maxTokens: tokens + 1, seed: seed + attempt * 1_000 };
    const conversationId = await app.newConversation(sampling);
    const { tokensPerSecond, report } = await app.answer(conversationId, ({ chat }) =>
      chat.send({ conversationId, text }),
    );
    const isLong = report.outputTokens > tokens / 2;
    if (tokensPerSecond !== null && isLong) return { threads: report.threads.decode, tokensPerSecond };
  }
  throw new Error(`The model ended ${mostAttempts} answers at depth ${depth} before their speed could be told.`);
}

async function inTurn<Input, Output>(inputs: readonly Input[], work: (input: Input) => Promise<Output>) {
  const outputs: Output[] = [];
  for (const input of inputs) outputs.push(await work(input));
  return outputs;
}

function print({ tuning, appTuning, flashAttention, loop, afterPause, streamed }: DecodeResult): void {
  for (const [name, { prefill, decode, underLoad }] of Object.entries({ loop: tuning, app: appTuning })) {
    console.log(`threads (${name}) ${prefill}/${decode}${underLoad === true ? ", measured under load" : ""}`);
  }
  console.log(`flash attention ${flashAttention ? "on" : "off"}`);
  console.log("In each round an answer of ours that is not counted goes first, as llama-bench's warm-up does.");
  const named = {
    "engine's loop": loop,
    "streamed, that first answer": [afterPause],
    "streamed through the whole app": streamed,
  };
  for (const [name, results] of Object.entries(named)) {
    for (const { depth, oursTokensPerSecond, peerTokensPerSecond, peerThreads, ratio } of results) {
      const peer =
        ratio === null
          ? ""
          : `, llama-bench ${peerTokensPerSecond?.toFixed(1)} with ${peerThreads} threads: ${ratio.toFixed(3)}x`;
      console.log(`${name}, depth ${depth}: ${oursTokensPerSecond.toFixed(1)} tokens/s${peer}`);
    }
  }
}
