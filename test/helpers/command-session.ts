/**
 * `reprise` inside the test: a real app on a folder of its own with an echo engine, and streams that the test types
 * into and reads. The models folder holds one file, which is the default model.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { vi } from "vitest";
import { openReprise } from "../../src-main/app/compose.ts";
import { thisMachine } from "../../src-main/app/folders.ts";
import type { CommandHost } from "../../src-main/headless/command-host.ts";
import { runReprise } from "../../src-main/headless/run-reprise.ts";
import type { StopCause } from "../../src-main/headless/stop.ts";
import { echoReader } from "./echo-reader.ts";
import { fakeQuantizer, type FakeQuantizer } from "./fake-quantizer.ts";
import { echoEngines } from "./launch-echo-engine.ts";
import { localSettings } from "./small-model.ts";

export interface CommandSession {
  /** Runs a command line and returns its exit code. */
  run(...words: string[]): Promise<number>;
  /** As a person would at the keyboard, or as a pipe delivers it. */
  type(text: string): void;
  endInput(): void;
  stop(cause: StopCause): void;
  /** All that was written to standard output so far. */
  output(): string;
  /** All that was written to standard error so far. */
  errors(): string;
  enginesLaunched(): number;
  readonly quantizer: FakeQuantizer;
  /** Resolves when standard output and standard error together hold the text. */
  sees(text: string): Promise<void>;
}

export interface CommandSessionOptions {
  readonly folder: string;
  readonly isTerminal?: boolean;
  /** Where the commands are given; the test's own where absent. */
  readonly workingFolder?: string;
  readonly hasModel?: boolean;
  /** Of a hub on this machine; where absent there is none. */
  readonly hubUrl?: string;
}

const testVersion = "1.2.3";

/** Each session is one process's worth of streams; several may share a folder, one after the other or at once. */
export function commandSession(options: CommandSessionOptions): CommandSession {
  const { folder, isTerminal = false, hasModel = true, hubUrl, workingFolder } = options;
  const modelsFolder = join(folder, "models");
  const modelPath = join(modelsFolder, "default.gguf");
  mkdirSync(modelsFolder, { recursive: true });
  if (hasModel) writeFileSync(modelPath, "GGUF");
  const stop = new AbortController();
  const streams = { input: new PassThrough(), output: new PassThrough(), errors: new PassThrough() };
  const [output, errors] = [collected(streams.output), collected(streams.errors)];
  for (const stream of Object.values(streams)) Object.assign(stream, { isTTY: isTerminal });
  const { launch: launchEngine, launched } = echoEngines();
  const quantizer = fakeQuantizer();
  const launchers = { launchEngine, launchQuantizer: quantizer.launch };
  const defaultModelSource = {
    path: modelPath,
    name: "Default",
    isPresent: () => Promise.resolve(hasModel),
    fetch: () => Promise.reject(new Error("no network in tests")),
  };
  const fetchSettings = localSettings(hubUrl === undefined ? {} : { hubUrl });
  const standIns = { ...launchers, defaultModelSource, fetchSettings, modelReader: echoReader() };
  const fixed = { host: "headless", version: testVersion, ...standIns } as const;
  const machine = { ...thisMachine(), ...(workingFolder !== undefined && { workingFolder }) };
  const host: CommandHost = {
    terminal: streams,
    stop: stop.signal,
    machine: { ...machine, environment: { REPRISE_DATA: join(folder, "data"), REPRISE_MODELS: modelsFolder } },
    rendererFolder: null,
    openApp: (folders, openOptions) => openReprise({ ...folders, ...openOptions, ...fixed }),
  };
  return {
    run: (...words) => runReprise(words, testVersion, host),
    type: (text) => streams.input.write(text),
    endInput: () => streams.input.end(),
    stop: (cause) => {
      stop.abort(cause);
    },
    output,
    errors,
    enginesLaunched: () => launched.length,
    quantizer,
    sees: (text) =>
      vi.waitUntil(() => `${output()}${errors()}`.includes(text), { timeout: 10_000 }).then(() => undefined),
  };
}

/** What a command prints with --json; it must succeed. */
export async function jsonFrom<Value>(session: CommandSession, ...words: string[]): Promise<Value> {
  const before = session.output().length;
  const code = await session.run(...words, "--json");
  if (code !== 0) throw new Error(`It ended with ${code} and said: ${session.errors()}`);
  return JSON.parse(session.output().slice(before)) as Value;
}

/** What `chat --json` prints. */
export interface PrintedAnswer {
  readonly conversationId: string;
  readonly messageId: string;
  readonly text: string;
  readonly report: { readonly stopReason: string } | null;
}

function collected(stream: PassThrough): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
  });
  return () => text;
}
