import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRouterClient } from "@orpc/server";
import { onTestFinished } from "vitest";
import { openReprise, type RepriseOptions } from "../../src-main/app/compose.ts";
import type { AppClient, ChatEvent } from "../../src-main/contract/app-contract.ts";
import type { Message } from "../../src-main/contract/conversation.ts";
import { echoReader } from "./echo-reader.ts";
import { fakeQuantizer } from "./fake-quantizer.ts";
import { echoEngines } from "./launch-echo-engine.ts";
import { localSettings } from "./small-model.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Something the echo engine takes for a model. */
export function writeModel(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, "GGUF");
  return path;
}

/** A default model that is whatever file lies at `path`; a test that fetches brings its own `fetch`. */
export function modelSource(
  path: string,
  fetch: NonNullable<RepriseOptions["defaultModelSource"]>["fetch"] = () => Promise.reject(new Error("offline")),
): NonNullable<RepriseOptions["defaultModelSource"]> {
  return { path, name: "echo", isPresent: () => Promise.resolve(existsSync(path)), fetch };
}

/** The whole app on a folder of its own, with the echo engine and a default model; closed with the test. */
export async function openTestApp(options: Partial<RepriseOptions> = {}) {
  const dataFolder = options.dataFolder ?? temporaryFolder();
  const modelsFolder = join(dataFolder, "models");
  const { launch, launched } = echoEngines();
  const reprise = await openReprise({
    dataFolder,
    modelsFolder,
    host: "headless",
    version: "0.0.0",
    launchEngine: launch,
    launchQuantizer: fakeQuantizer().launch,
    fetchSettings: localSettings(),
    modelReader: echoReader(),
    defaultModelSource: options.defaultModelSource ?? modelSource(writeModel(modelsFolder, "echo.gguf")),
    ...options,
  });
  onTestFinished(() => reprise.close());
  const client: AppClient = createRouterClient(reprise.router, { context: {} });
  return { ...reprise, client, modelsFolder, launched };
}

/** Reads events until one is the wanted one, and returns it. Fails where the stream ends before. */
export async function until<Event, Wanted extends Event>(
  events: AsyncIterator<Event>,
  isWanted: ((event: Event) => event is Wanted) | ((event: Event) => boolean),
): Promise<Wanted> {
  for (;;) {
    const next = await events.next();
    if (next.done === true) throw new Error("The stream ended before the event that was waited for.");
    if (isWanted(next.value)) return next.value as Wanted;
  }
}

export type Finished = Extract<ChatEvent, { type: "finished" }>;

export function isFinished(event: ChatEvent): event is Finished {
  return event.type === "finished";
}

/** Sends a message to a conversation, a new one where none is named, and returns the finished answer. */
export async function ask(client: AppClient, text: string, conversationId?: string): Promise<Message> {
  const id = conversationId ?? (await client.conversations.create({})).id;
  const events = await client.chat.watch({ conversationId: id });
  await events.next();
  await client.chat.send({ conversationId: id, text });
  const { message } = await until(events, isFinished);
  await events.return();
  return message;
}

/** Sends a message and waits until `words` words of the answer are there. The answer goes on. */
export async function begin(client: AppClient, text: string, words = 1, conversationId?: string) {
  const id = conversationId ?? (await client.conversations.create({})).id;
  const events = await client.chat.watch({ conversationId: id });
  await events.next();
  const sent = await client.chat.send({ conversationId: id, text });
  let seen = 0;
  await until(events, (event) => {
    if (event.type === "delta") seen += event.text.split(" ").length - 1;
    return seen >= words;
  });
  return { ...sent, events };
}
