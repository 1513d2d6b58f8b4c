/** The command line as people run it: real processes, a real engine, a tiny model. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Thread } from "../../src-main/contract/conversation.ts";
import { longText } from "../helpers/cached-chat.ts";
import { damagedGguf, type Damage } from "../helpers/damaged-gguf.ts";
import { startScript } from "../helpers/child-script.ts";
import { type CliAnswer, jsonFromCli, oneLineOfError, runCli, tinyModelAndData } from "../helpers/start-cli.ts";
import { quantizeFile } from "../helpers/quantize-tiny.ts";
import { temporaryFolder } from "../helpers/temporary-folder.ts";

const short = ["--max-tokens", "12", "--seed", "1"];

describe("chat", () => {
  test("streams the answer, and prints nothing else", async () => {
    const { dataFolder, model } = await tinyModelAndData();
    const end = await runCli(["chat", "--model", model, ...short, "Hello"], { dataFolder });
    expect(end).toMatchObject({ code: 0, errors: "" });
    const [{ id }] = await jsonFromCli<[{ id: string }]>(dataFolder, "list");
    const { messages } = await jsonFromCli<Thread>(dataFolder, "show", id);
    expect(end.output).toBe(`${messages.at(-1)?.content ?? ""}\n`);
    expect(messages.at(-1)?.report?.outputTokens).toBe(12);
  });

  test("reads its message from a pipe", async () => {
    const { dataFolder, model } = await tinyModelAndData();
    const end = await runCli(["chat", "--model", model, ...short], { dataFolder, input: "Hello from a pipe\n" });
    expect(end).toMatchObject({ code: 0, errors: "" });
    const [{ title }] = await jsonFromCli<[{ title: string }]>(dataFolder, "list");
    expect(title).toBe("Hello from a pipe");
  });

  test("prints one JSON object, the same for the same seed", async () => {
    const { dataFolder, model } = await tinyModelAndData();
    const words = ["chat", "--model", model, ...short, "Hello", "--json"];
    const { output } = await runCli(words, { dataFolder });
    expect(output).toMatch(/^\{[^\n]*\}\n$/);
    const [one, two] = [
      JSON.parse(output) as CliAnswer,
      await jsonFromCli<CliAnswer>(dataFolder, ...words.slice(0, -1)),
    ];
    expect(Object.keys(one)).toEqual(["conversationId", "messageId", "text", "report"]);
    expect(one.report).toMatchObject({ outputTokens: 12, seed: 1, stopReason: "length" });
    expect(one.text).not.toBe("");
    expect(two.text).toBe(one.text);
    expect(two.conversationId).not.toBe(one.conversationId);
  });

  test("goes on with a conversation, which is then shown and deleted", async () => {
    const { dataFolder, model } = await tinyModelAndData();
    const words = ["--model", model, "--system", "Be brief.", ...short, "One"];
    const { conversationId } = await jsonFromCli<CliAnswer>(dataFolder, "chat", ...words);
    const second = await jsonFromCli<CliAnswer>(dataFolder, "chat", "-c", conversationId.slice(0, 8), "Two");
    expect(second.conversationId).toBe(conversationId);
    expect(second.report.outputTokens).toBe(12);
    const { conversation, messages } = await jsonFromCli<Thread>(dataFolder, "show", conversationId);
    expect(conversation.systemPrompt).toBe("Be brief.");
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect((await runCli(["show", conversationId], { dataFolder })).output).toContain("## You\n\nTwo\n\n## ");
    expect(await jsonFromCli(dataFolder, "delete", conversationId)).toEqual({ conversationId });
    expect(await jsonFromCli(dataFolder, "list")).toEqual([]);
    expect(await runCli(["show", conversationId], { dataFolder })).toMatchObject({ code: 1, output: "" });
  });

  test("goes on with another model where one is named, and back", async () => {
    const { dataFolder, model } = await tinyModelAndData();
    const { path: coarse } = await quantizeFile(model, "Q8_0");
    const first = await jsonFromCli<CliAnswer>(dataFolder, "chat", "--model", model, ...short, longText(300));
    const go = (path: string, text: string) =>
      jsonFromCli<CliAnswer>(dataFolder, "chat", "-c", first.conversationId, "--model", path, text);
    const second = await go(coarse, "Two");
    expect(second).toMatchObject({
      conversationId: first.conversationId,
      report: { model: { level: "Q8_0" }, divergence: { kind: "model-switched" }, shortfall: { kind: "none" } },
    });
    // Of the other level's cells none can be used.
    expect(second.report.prefilled).toBe(second.report.promptTokens);
    const third = await go(model, "Three");
    expect(third.report).toMatchObject({ model: { level: "F16" }, divergence: { kind: "model-switched" } });
    const { messages, conversation } = await jsonFromCli<Thread>(dataFolder, "show", first.conversationId);
    const answers = messages.filter(({ role }) => role === "assistant");
    expect(answers.map(({ modelLevel }) => modelLevel)).toEqual(["F16", "Q8_0", "F16"]);
    expect(conversation.modelId).toBe(answers[0]?.modelId);
    expect(answers[0]?.report?.model?.weightsHash).toBe(third.report.model?.weightsHash);
  });
});

describe("what goes wrong is one line", () => {
  test.each<[string, Damage | null]>([
    ["missing", null],
    ["no GGUF", "not-gguf"],
    ["empty", "empty"],
    ["truncated", "truncated-tensors"],
    ["cut off in its header", "truncated-header"],
  ])("where the model file is %s", async (_, damage) => {
    const dataFolder = temporaryFolder();
    const path = join(dataFolder, "broken.gguf");
    if (damage !== null) writeFileSync(path, damagedGguf(damage));
    const end = await runCli(["chat", "--model", path, "--json", "Hello"], { dataFolder });
    expect(end).toMatchObject({ code: 1, output: "" });
    expect(end.errors).toMatch(oneLineOfError);
    expect(end.errors).toContain("broken.gguf");
    expect(await jsonFromCli(dataFolder, "list")).toEqual([]);
  });

  test("where the data folder cannot be written", async () => {
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const end = await runCli(["list"], { dataFolder: join(file, "data") });
    expect(end).toMatchObject({ code: 1, output: "" });
    expect(end.errors).toMatch(oneLineOfError);
  });

  test("where somebody keeps the data folder and does not answer", async () => {
    const dataFolder = temporaryFolder();
    const holder = startScript(new URL("../helpers/lock-holder.ts", import.meta.url), dataFolder);
    expect(await holder.line()).toBe("locked");
    const end = await runCli(["list"], { dataFolder });
    expect(end).toMatchObject({ code: 1, output: "" });
    expect(end.errors).toMatch(/^reprise: Another Reprise[^\n]+does not answer[^\n]+\n$/);
  });

  test("where the command line is not understood", async () => {
    const end = await runCli(["chat", "--temperature", "hot", "Hello"], { dataFolder: temporaryFolder() });
    expect(end).toMatchObject({ code: 2, output: "" });
    expect(end.errors).toMatch(oneLineOfError);
  });
});
