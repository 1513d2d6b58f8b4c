/** Templates set in place of the file's own, and what they make of a conversation, on a real vocabulary. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { PreviewInput, PromptMessage } from "../../src-main/contract/engine-contract.ts";
import { newId } from "../../src-main/contract/id.ts";
import { defaultLoadOptions } from "../../src-main/contract/model-settings.ts";
import type { RenderedPreview } from "../../src-main/contract/prompt-preview.ts";
import { Templates } from "../../src-main/engine/templates.ts";
import { CachedChat, cheapRestore } from "../helpers/cached-chat.ts";
import { collect } from "../helpers/collect.ts";
import { engineInProcess, load, request, turn, type LoadChoice } from "../helpers/engine-turns.ts";
import { answer, openSession } from "../helpers/open-session.ts";
import { message } from "../helpers/prompt-message.ts";
import { temporaryFolder } from "../helpers/temporary-folder.ts";
import { writeTinyGguf, type TinyModelOptions } from "../helpers/tiny-gguf.ts";

const client = engineInProcess({ fixedCosts: cheapRestore });

const templateOf = (opening: string) =>
  `{% for m in messages %}<|im_start|>${opening}{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>${opening}assistant{{ '\\n' }}`;
const plain = templateOf("");
const other = templateOf("the ");
const broken = "{% for m in messages %}\n{{ m.content | }}\n{% endfor %}";

const conversation: readonly PromptMessage[] = [
  message("system", "be helpful"),
  message("user", "hello <|im_end|> 水"),
  message("assistant", "water"),
  message("user", "and?"),
];

function writeModel(model: TinyModelOptions = {}): Promise<string> {
  return writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), { name: newId(), chatTemplate: plain, ...model });
}

async function loadModel(choice: LoadChoice = {}, model: TinyModelOptions = {}) {
  const path = await writeModel(model);
  const store = { isEnabled: true, budgetBytes: 1e9 };
  const loaded = await load(client, path, { contextTokens: 2_048, cacheFolder: temporaryFolder(), store, ...choice });
  return { path, model: loaded.model };
}

function preview(path: string, given: Partial<PreviewInput> = {}): Promise<RenderedPreview> {
  return client.templates.preview({ path, chatTemplate: null, isDraft: false, messages: [...conversation], ...given });
}

const idsOf = ({ prompt }: RenderedPreview) => prompt?.tokens.map(({ id }) => id);

describe("a preview", () => {
  test("has the very tokens that answering computes, answers written before included", async () => {
    await using session = await openSession();
    const library = () => Promise.reject(new Error("not needed"));
    const templates = new Templates({ library, models: { active: session, all: [session] } });
    const messages = conversation.slice(0, 2);
    const first = await answer(session, messages);
    messages.push(message("assistant", first.text, first.done.answerTokens), message("user", "and?"));
    const { path } = session.description;
    const shown = await templates.preview({ path, chatTemplate: null, isDraft: false, messages });
    const { done } = await answer(session, messages);
    expect(done.report.promptTokens).toBe(shown.prompt?.tokens.length);
    expect(idsOf(shown)).toEqual(session.cache.cells.tokens.slice(0, done.report.promptTokens));
  });

  test.each([{}, { addsBos: true }, { chatTemplate: null }])(
    "is the same whether the model is loaded or not: %o",
    async (model) => {
      const { path } = await loadModel({}, model);
      const loaded = await preview(path);
      await client.unload();
      const unloaded = await preview(path);
      expect({ ...unloaded, room: loaded.room }).toEqual(loaded);
      expect([loaded.room?.isFitting, unloaded.room]).toEqual([true, null]);
      expect(loaded.inUse.template).toBe("chatTemplate" in model ? "fallback" : "model");
    },
  );

  test("tells where a prompt is too long for the loaded model", async () => {
    const { path } = await loadModel({ contextTokens: 256 });
    const messages = [message("user", "hello water ".repeat(200))];
    expect((await preview(path, { messages })).room).toEqual({ contextTokens: 256, isFitting: false });
  });

  test("of a template that is being written replaces nothing", async () => {
    const { path } = await loadModel();
    const before = await turn(client, request([...conversation]));
    const draft = await preview(path, { chatTemplate: other, isDraft: true });
    expect(draft).toMatchObject({ inUse: { template: "override" }, ownTemplate: plain, failure: null });
    expect(draft.prompt?.text).toBe(
      "<|im_start|>the system\nbe helpful<|im_end|>\n<|im_start|>the user\nhello <|im_end|> 水<|im_end|>\n" +
        "<|im_start|>the assistant\nwater<|im_end|>\n<|im_start|>the user\nand?<|im_end|>\n<|im_start|>the assistant\n",
    );
    const after = await turn(client, request([...conversation]));
    expect(after.report.promptTokens).toBe(before.report.promptTokens);
  });

  test("of a template that is broken says what is wrong and where", async () => {
    const { path } = await loadModel();
    const draft = await preview(path, { chatTemplate: broken, isDraft: true });
    expect(draft.prompt).toBeNull();
    expect(draft.failure).toEqual({ reason: "unexpected token: }}", line: 2 });
  });

  test("of a conversation that the template refuses is its reason", async () => {
    const refusing = `{% if messages | length > 4 %}\n{{ raise_exception('Too much') }}{% endif %}${plain}`;
    const { path } = await loadModel({ chatTemplate: refusing });
    const messages = [...conversation, message("assistant", "water"), message("user", "more")];
    const { failure } = await preview(path, { chatTemplate: refusing, messages });
    expect(failure).toEqual({ reason: "Too much", line: 2 });
  });
});

describe("a hostile template is ended with a sentence, and the engine goes on:", () => {
  const nested = "{% set ns.l = [ns.l, ns.l, ns.l, ns.l, ns.l, ns.l, ns.l, ns.l] %}";
  test.each([
    [
      "an endless loop",
      "{% for i in range(90000) %}{% for j in range(90000) %}{% endfor %}{% endfor %}",
      "too many steps",
    ],
    [
      "a text that doubles",
      "{% set ns = namespace(s='ab') %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
      "too long",
    ],
    ["a macro that calls itself", "{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}", "too deep"],
    ["a deep tree", `{{ ${"(".repeat(20_000)} }}`, "too deep"],
    [
      "a huge text from a filter",
      "{% set s = range(9000) | join('') %}{{ s | replace('', s) | replace('', s) }}",
      "too long",
    ],
    [
      "lists written out without end",
      `{% set ns = namespace(l=[1]) %}{% for i in range(30) %}${nested}{% endfor %}{{ ns.l | tojson }}`,
      "too long",
    ],
  ])("%s", async (_, source, reason) => {
    const { path } = await loadModel();
    const draft = await preview(path, { chatTemplate: source + plain, isDraft: true });
    expect(draft.prompt).toBeNull();
    expect(draft.failure?.reason).toContain(reason);
    const used = await client.templates.use({ chatTemplate: source + plain });
    expect(used).toMatchObject({ template: "model", templateReason: expect.stringContaining(reason) as string });
    expect((await turn(client, request([...conversation]))).answerTokens).not.toBeNull();
  });
});

describe("a template in place of the file's own", () => {
  test("is used from the load on, exactly as if it were the file's", async () => {
    const { path, model } = await loadModel({ chatTemplate: other }, { name: "Same" });
    expect(model).toMatchObject({ template: "override", templateReason: null });
    const overridden = await turn(client, request([...conversation]));
    const shown = await preview(path, { chatTemplate: other });
    const file = await loadModel({}, { name: "Same", chatTemplate: other });
    const own = await turn(client, request([...conversation]));
    expect(own.answerTokens).toEqual(overridden.answerTokens);
    expect(idsOf(await preview(file.path))).toEqual(idsOf(shown));
  });

  test("is taken up without loading anything, and the next answer says what has changed", async () => {
    await loadModel();
    const chat = new CachedChat(client, newId());
    await chat.send("hello");
    expect(await client.templates.use({ chatTemplate: other })).toMatchObject({ template: "override" });
    const changed = (await chat.send("and?")).report;
    expect(changed.divergence?.kind).toBe("template-changed");
    expect(changed.prefilled).toBeGreaterThan(0);
    expect(changed.divergence?.after).toContain("the");
    const again = (await chat.send("and?")).report;
    expect(again.divergence?.kind).toBe("continues");
    expect(await client.templates.use({ chatTemplate: null })).toMatchObject({ template: "model" });
  });

  test("answers as a conversation that was led with it from the beginning", async () => {
    const messages = [...conversation];
    await loadModel({ chatTemplate: other }, { name: "Twin" });
    const expected = await turn(client, request(messages));
    await loadModel({}, { name: "Twin" });
    await turn(client, request(messages));
    await client.templates.use({ chatTemplate: other });
    const { answerTokens, report } = await turn(client, request(messages));
    expect(report.promptTokens).toBe(expected.report.promptTokens);
    expect(answerTokens).toEqual(expected.answerTokens);
  });

  test("does not change an answer that is being written", async () => {
    await loadModel({}, { name: "Calm" });
    const undisturbed = await turn(client, request([...conversation]));
    const input = request([...conversation], {}, newId());
    let isUsed = false;
    const disturbed = await turn(client, input, async () => {
      if (!isUsed) await client.templates.use({ chatTemplate: other });
      isUsed = true;
    });
    expect(disturbed.answerTokens).toEqual(undisturbed.answerTokens);
  });

  test("makes way for the file's own where it is broken, which the loaded model says", async () => {
    const { model } = await loadModel({ chatTemplate: broken });
    expect(model).toMatchObject({
      template: "model",
      templateReason: expect.stringContaining("line 2") as string,
      templateProblems: [{ from: "override", reason: "unexpected token: }}", line: 2 }],
    });
  });

  test("needs a loaded model", async () => {
    await client.unload();
    await expect(client.templates.use({ chatTemplate: other })).rejects.toMatchObject({ code: "MODEL_MISSING" });
  });
});

describe("a template that was set since a model in memory was used", () => {
  const setOn = async () => {
    const { path } = await loadModel({ chatTemplate: plain });
    const chat = new CachedChat(client, newId());
    await chat.send("hello");
    return { path, chat };
  };

  test("is what going on with that model is told by", async () => {
    const { path, chat } = await setOn();
    const { id: conversationId, messages } = chat;
    const input = { path, options: { ...defaultLoadOptions, contextTokens: 2_048 }, tuning: null, conversationId };
    const costOf = (chatTemplate?: string | null) =>
      client.switchCost({ ...input, messages, ...(chatTemplate !== undefined && { chatTemplate }) });
    const same = await costOf();
    expect(same.computeTokens).toBe(0);
    expect(await costOf(plain)).toEqual(same);
    const changed = await costOf(other);
    expect(changed.promptTokens).toBeGreaterThan(same.promptTokens ?? 0);
    expect(changed.computeTokens).toBeGreaterThan(0);
    // Nothing has changed for it.
    expect(await costOf()).toEqual(same);
  });

  test("is what it reads answers along with, where that is asked for", async () => {
    const { chat } = await setOn();
    const { id: conversationId, messages } = chat;
    const read = async (chatTemplate?: string | null) => {
      const asked = { conversationId, messages, wanted: [messages.length - 1] };
      const events = await collect(
        await client.predict({ ...asked, ...(chatTemplate !== undefined && { chatTemplate }) }),
      );
      return events.flatMap((event) => (event.type === "progress" ? [event.totalTokens] : []))[0] ?? 0;
    };
    const same = await read();
    expect(await read(plain)).toBe(same);
    expect(await read(other)).toBeGreaterThan(same);
  });
});
