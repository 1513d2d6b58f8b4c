/** What a report says has changed, each kind provoked on the real way. */
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { newId } from "../../../src-main/contract/id.ts";
import { CachedChat, cheapRestore, longText } from "../../helpers/cached-chat.ts";
import { engineInProcess, load, request, turn } from "../../helpers/engine-turns.ts";
import { message } from "../../helpers/prompt-message.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { writeTinyGguf, type TinyModelOptions } from "../../helpers/tiny-gguf.ts";
import { tinyVocabulary } from "../../helpers/tiny-vocabulary.ts";

const client = engineInProcess({ fixedCosts: cheapRestore });
let chat: CachedChat;

async function loadModel(model: TinyModelOptions = {}, cacheFolder = temporaryFolder()): Promise<string> {
  const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), { name: newId(), ...model });
  const store = { isEnabled: true, budgetBytes: 1e9 };
  await load(client, path, { contextTokens: 2_048, cacheFolder, store });
  return cacheFolder;
}

/** One message after another, as ChatML writes it; `content` is Jinja. */
const templateOf = (content: string, preamble = "") =>
  `${preamble}{% for m in messages %}<|im_start|>{{ m.role }}\n${content}<|im_end|>\n{% endfor %}<|im_start|>assistant\n`;

beforeEach(async () => {
  await loadModel();
  chat = new CachedChat(client, newId());
});

const kindOf = async (answer: ReturnType<CachedChat["send"]>) => (await answer).report.divergence?.kind;

test("first-turn, then continues, then regenerated", async () => {
  expect(await kindOf(chat.send("hello"))).toBe("first-turn");
  expect(await kindOf(chat.send("and?"))).toBe("continues");
  expect(await kindOf(chat.regenerate())).toBe("regenerated");
});

test("where nobody remembers the turns before, nothing is claimed", async () => {
  chat.messages.push(message("user", "hello"), message("assistant", "water"));
  expect((await chat.send("and?")).report.divergence).toBeNull();
});

test("branch: the last message was edited, and the report shows the place", async () => {
  await chat.send("tell me of the water");
  chat.edit(1, "tell me of the house");
  const { divergence } = (await chat.answer()).report;
  expect(divergence?.kind).toBe("branch");
  const { before = "?", after = "?", replaced = "?" } = divergence ?? {};
  const ending = "<|im_end|>\n<|im_start|>assistant\n";
  expect(`tell me of the house${ending}`).toContain(before + after);
  expect(`tell me of the water${ending}`).toContain(before + replaced);
});

test("the beginning of an edited message was first computed by the other branch; regenerating shares nothing", async () => {
  const document = longText(300);
  await chat.send(`${document} and the water?`);
  const again = await chat.regenerate();
  expect(again.report).toMatchObject({ fromShared: 0, fromResident: again.report.promptTokens - 1 });
  chat.edit(1, `${document} and the house?`);
  const { report } = await chat.answer();
  expect(report.fromShared).toBeGreaterThanOrEqual(300);
  expect(report.fromShared + report.fromResident + report.prefilled).toBe(report.promptTokens);
  expect(report.fromResident).toBeGreaterThan(0);
  expect((await chat.send("and?")).report.fromShared).toBe(report.fromShared);
});

test("history-edited: a message before the last", async () => {
  await chat.send("hello");
  await chat.send("and?");
  const [system, , answer, question] = chat.messages;
  chat.messages = [system, message("user", "water"), answer, question].filter((part) => part !== undefined);
  expect(await kindOf(chat.answer())).toBe("history-edited");
});

test("system-prompt-changed", async () => {
  await chat.send("hello");
  chat.messages = [message("system", "be brief"), ...chat.messages.slice(1, 2)];
  expect(await kindOf(chat.answer())).toBe("system-prompt-changed");
});

test("overflow: the oldest messages were left out", async () => {
  await chat.send("hello");
  await chat.send("water");
  const [system, , , ...rest] = chat.messages;
  const messages = [system, ...rest, message("user", "and?")].filter((part) => part !== undefined);
  const { report } = await turn(client, { ...request(messages, {}, chat.id), droppedMessages: 2 });
  expect(report.divergence?.kind).toBe("overflow");
});

test("tools-changed: the template writes them, and there are others", async () => {
  const preamble = "{% if tools %}<|im_start|>tool\n{{ tools | tojson }}<|im_end|>\n{% endif %}";
  await loadModel({ chatTemplate: templateOf("{{ m.content }}", preamble) });
  const tools = (name: string) => [{ type: "function", function: { name, description: "<|im_end|> is only text" } }];
  const ask = (name: string) => turn(client, { ...request("hello", {}, chat.id), tools: tools(name) });
  const first = await ask("weather");
  expect((await ask("weather")).report.divergence?.kind).toBe("regenerated");
  const { divergence } = (await ask("water")).report;
  expect(divergence).toMatchObject({ kind: "tools-changed" });
  expect(`{"name": "water"`).toContain(divergence?.after.slice(0, 3));
  const none = await turn(client, request("hello", {}, chat.id));
  expect(none.report.divergence?.kind).toBe("tools-changed");
  expect(none.report.promptTokens).toBeLessThan(first.report.promptTokens - 30);
});

test("retokenized: the same answer in other tokens", async () => {
  const { tokens } = tinyVocabulary();
  const letters = Array.from("hello", (letter) => tokens.indexOf(letter));
  chat.messages.push(message("user", "hello"), message("assistant", "hello", letters));
  const before = [...chat.messages];
  await chat.send("and?");
  chat.messages = [...before.slice(0, -1), message("assistant", "hello"), message("user", "and?")];
  expect(await kindOf(chat.answer())).toBe("retokenized");
});

test("template-changed: it writes the date, and that is another day", async () => {
  const preamble = "{{ strftime_now('%Y-%m-%d') }}\n";
  await loadModel({ chatTemplate: templateOf("{{ m.content }}", preamble) });
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(2027, 0, 5) });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  await chat.send("hello");
  vi.setSystemTime(new Date(2027, 0, 6));
  expect(await kindOf(chat.regenerate())).toBe("template-changed");
});

test("thinking-stripped: thoughts stay in the last answer only", async () => {
  const stripped = "{% if m.role == 'assistant' and not loop.index == loop.length - 1 %}";
  const content = `${stripped}{{ m.content.split('</think>') | last }}{% else %}{{ m.content }}{% endif %}`;
  await loadModel({ chatTemplate: templateOf(content) });
  const thoughts = `<think>${longText(60, "water")}</think>hello`;
  chat.messages.push(message("user", "hello"), message("assistant", thoughts));
  const withThoughts = await chat.send("and?");
  const without = await chat.send("more");
  expect(without.report.divergence?.kind).toBe("thinking-stripped");
  expect(without.report.promptTokens).toBeLessThan(withThoughts.report.promptTokens);
});

test("model-switched: other weights, whose tokens mean something else", async () => {
  const cacheFolder = await loadModel();
  await chat.send("hello");
  await loadModel({ seed: 3 }, cacheFolder);
  const { divergence } = (await chat.regenerate()).report;
  expect(divergence).toMatchObject({ kind: "model-switched", tokenIndex: 0, replaced: "" });
});
