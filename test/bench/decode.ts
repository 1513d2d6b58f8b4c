/**
 * Decode speed, against llama-bench (--peer) on the same file: rounds of both in turn, since the machine is never the
 * same for long. Two measurements of ours: the engine's loop alone at exactly the peer's depths, and the engine as the
 * app uses it, streaming over process messages. Quote the ratios.
 */
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { defaultSampling } from "../../src-main/contract/conversation.ts";
import { newId } from "../../src-main/contract/id.ts";
import type { LoadedModel } from "../../src-main/contract/model.ts";
import type { TurnReport } from "../../src-main/contract/turn-report.ts";
import { connectEngine, type EngineClient } from "../../src-main/engine-host/engine-connection.ts";
import { forkEngine } from "../../src-main/engine-host/fork-engine.ts";
import { threadCandidates } from "../../src-main/engine/tuning/choose-threads.ts";
import { defaultModelPath } from "../helpers/default-model.ts";
import type { DecodeTask } from "./decode-child.ts";
import { median } from "./median.ts";

const depths = [8, 512] as const;
const tokens = 64;
const rounds = 7;

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
  readonly tuning: LoadedModel["tuning"];
  readonly flashAttention: boolean;
  readonly loop: readonly DepthResult[];
  readonly streamed: readonly DepthResult[];
}

interface Round {
  readonly loop: readonly TurnReport[];
  readonly streamed: readonly TurnReport[];
  readonly peer: readonly PeerSpeed[];
}

export async function run(options: { peer?: string; model?: string }): Promise<DecodeResult> {
  const path = options.model ?? (await defaultModelPath());
  await using loop = await startLoop(path);
  await using engine = await startEngine(path);
  const results: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const ours = async () => ({
      loop: await inTurn(depths, (depth) => loop.decode({ depth, tokens, seed: round + 1 })),
      streamed: await inTurn(depths, (depth) => streamedAnswer(engine.client, depth, round + 1)),
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
    flashAttention: loop.flashAttention,
    loop: depths.map((depth, index) => depthResult(results, depth, ({ loop: reports }) => reports[index])),
    streamed: depths.map((depth, index) => depthResult(results, depth, ({ streamed }) => streamed[index])),
  };
  print(result);
  return result;
}

function depthResult(
  results: readonly Round[],
  depth: number,
  reportOf: (round: Round) => TurnReport | undefined,
): DepthResult {
  const reports = results.map(reportOf);
  const speeds = reports.map((report) => report?.decodeTokensPerSecond ?? NaN);
  const byThreads = Map.groupBy(
    results.flatMap(({ peer }) => peer).filter((speed) => speed.depth === depth),
    ({ threads }) => threads,
  );
  const medians = [...byThreads].map(([threads, all]) => ({
    threads,
    tokensPerSecond: median(all.map(({ tokensPerSecond }) => tokensPerSecond)),
  }));
  const best = medians.toSorted((a, b) => b.tokensPerSecond - a.tokensPerSecond)[0] ?? null;
  const perRound = results.map(({ peer }, index) => {
    const rival = peer.find((speed) => speed.depth === depth && speed.threads === best?.threads);
    const threads = reports[index]?.threads.decode ?? NaN;
    return { ours: speeds[index] ?? NaN, threads, peer: rival?.tokensPerSecond ?? null };
  });
  const ratios = perRound.flatMap((speed) => (speed.peer === null ? [] : [speed.ours / speed.peer]));
  return {
    depth,
    oursTokensPerSecond: median(speeds),
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
  const [model] = (await once(child, "message")) as [Pick<LoadedModel, "tuning" | "flashAttention">];
  return {
    ...model,
    decode: async (task: DecodeTask): Promise<TurnReport> => {
      const answered = once(child, "message");
      child.send(task);
      const [report] = (await answered) as [TurnReport];
      return report;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

async function startEngine(path: string) {
  const entry = fileURLToPath(new URL("../../src-main/engine/entry.ts", import.meta.url));
  const connection = connectEngine(forkEngine({ entry })());
  const { client } = connection;
  const loading = await client.load({ path, contextTokens: 2_048, tuning: null });
  let event = await loading.next();
  while (event.done !== true) event = await loading.next();
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      await client.shutdown();
      await connection.ended;
    },
  };
}

/** A chat turn of about that depth (a template's own text makes a short one longer), read like the app reads it. */
async function streamedAnswer(client: EngineClient, depth: number, seed: number): Promise<TurnReport> {
  const items = Array.from({ length: Math.floor(depth / 13) }, (_, item) => `Item ${item} is on shelf ${item % 31}.`);
  const content = [...items, "Go on with this list, as long as you can."].join("\n");
  const messages = [{ role: "user" as const, content, tokens: null }];
  const sampling = { ...defaultSampling, maxTokens: tokens + 1 };
  for await (const event of await client.generate({
    generationId: newId(),
    messages,
    sampling: { ...sampling, seed },
  })) {
    if (event.type === "done") return event.report;
  }
  throw new Error("The engine's answer has no end.");
}

async function inTurn<Input, Output>(inputs: readonly Input[], work: (input: Input) => Promise<Output>) {
  const outputs: Output[] = [];
  for (const input of inputs) outputs.push(await work(input));
  return outputs;
}

function print({ tuning, flashAttention, loop, streamed }: DecodeResult): void {
  const load = tuning.underLoad === true ? ", measured under load" : "";
  console.log(`threads ${tuning.prefill}/${tuning.decode}${load}; flash attention ${flashAttention ? "on" : "off"}`);
  for (const [name, results] of Object.entries({ "engine's loop": loop, "streamed over process messages": streamed })) {
    for (const { depth, oursTokensPerSecond, peerTokensPerSecond, peerThreads, ratio } of results) {
      const peer =
        ratio === null
          ? ""
          : `, llama-bench ${peerTokensPerSecond?.toFixed(1)} with ${peerThreads} threads: ${ratio.toFixed(3)}x`;
      console.log(`${name}, depth ${depth}: ${oursTokensPerSecond.toFixed(1)} tokens/s${peer}`);
    }
  }
}
