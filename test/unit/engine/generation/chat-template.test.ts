import { describe, expect, test } from "vitest";
import {
  draftTemplate,
  loadChatTemplate,
  type ChatTemplate,
} from "../../../../src-main/engine/generation/chat-template.ts";
import type { PromptMessage } from "../../../../src-main/contract/engine-contract.ts";
import * as templates from "../../../helpers/chat-templates.ts";
import { GreedyTokenizer, type GreedyVocabulary } from "../../../helpers/greedy-tokenizer.ts";
import { message } from "../../../helpers/prompt-message.ts";

function load(source: string | null, vocabulary: GreedyVocabulary = {}, now?: () => Date): ChatTemplate {
  const tokenizer = new GreedyTokenizer({ bos: "<s>", eos: "</s>", special: ["<s>", "</s>"], ...vocabulary });
  return loadChatTemplate({ source, tokenizer, ...(now && { now }) });
}

function write(template: ChatTemplate, messages: readonly PromptMessage[]): string {
  return template.render(template.arrange(messages));
}

const conversation = [message("user", "Hi"), message("assistant", "Hello"), message("user", "Bye")];
const withSystem = [message("system", "Be kind"), ...conversation];

describe("the model's own template", () => {
  test("writes the conversation up to where the answer begins", () => {
    const template = load(templates.chatMlTemplate);
    expect(template).toMatchObject({ template: "model", reason: null, stopStrings: [] });
    expect(write(template, withSystem)).toBe(
      "<|im_start|>system\nBe kind<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n" +
        "<|im_start|>assistant\nHello<|im_end|>\n<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n",
    );
  });

  test("adds a system prompt of its own where it has one", () => {
    const template = load(templates.defaultSystemTemplate);
    expect(write(template, conversation)).toContain("<|im_start|>system\nBe of use.<|im_end|>");
    expect(write(template, withSystem)).not.toContain("Be of use.");
  });

  test("is given the vocabulary's BOS and EOS", () => {
    expect(write(load(templates.alternatingTemplate), conversation)).toBe(
      "<s>[INST] Hi [/INST] Hello</s>[INST] Bye [/INST]",
    );
  });

  test("is given the date in English", () => {
    const source = `{{ strftime_now('%d %b %Y') }} ${templates.chatMlTemplate}`;
    expect(
      write(
        load(source, {}, () => new Date(2026, 11, 1)),
        conversation,
      ),
    ).toMatch(/^01 Dec 2026/);
  });

  test.each([
    ["none", "{% if tools or documents or not tools is none %}{{ raise_exception('tools') }}{% endif %}"],
    ["undefined, where it needs that", "{% if tools is defined %}{{ raise_exception('tools') }}{% endif %}"],
    ["an empty list, where it needs that", "{% for tool in tools %}{{ tool.name }}{% endfor %}"],
  ])("is given no tools: %s", (_, condition) => {
    expect(load(condition + templates.chatMlTemplate).template).toBe("model");
  });
});

describe("tools", () => {
  const source = `{% if tools %}{% for tool in tools %}[{{ tool.name }}]{% endfor %}{% endif %}${templates.chatMlTemplate}`;

  test("are written where there are some, and the template knows them", () => {
    const template = load(source);
    expect(template.render(conversation, [{ name: "weather" }, { name: "clock" }])).toMatch(/^\[weather\]\[clock\]/);
    expect(template.render(conversation)).not.toContain("[");
  });

  test("are left out where it knows none, also by a template of our own", () => {
    for (const known of [load(templates.chatMlTemplate), load(null)])
      expect(known.render(conversation, [{ name: "weather" }])).toBe(known.render(conversation));
  });
});

describe("a template without a system role", () => {
  test.each([
    ["that refuses it", templates.noSystemTemplate, "<start_of_turn>user\nBe kind\n\nHi<end_of_turn>"],
    ["that passes over it", templates.silentSystemTemplate, "<|im_start|>user\nBe kind\n\nHi<|im_end|>"],
    ["whose roles must alternate", templates.alternatingTemplate, "[INST] Be kind\n\nHi [/INST]"],
  ])("%s gets the system prompt in the first user message", (_, source, expected) => {
    const template = load(source);
    expect(template.template).toBe("model");
    expect(write(template, withSystem)).toContain(expected);
  });

  test("gets nothing for a blank system prompt", () => {
    expect(write(load(templates.noSystemTemplate), [message("system", " \n"), message("user", "Hi")])).toContain(
      "<start_of_turn>user\nHi<",
    );
  });
});

describe("a template whose roles must alternate", () => {
  test("gets two user messages in a row as one", () => {
    const twice = [message("user", "Hi"), message("user", "Are you there?")];
    expect(write(load(templates.alternatingTemplate), twice)).toBe("<s>[INST] Hi\n\nAre you there? [/INST]");
  });

  test("gets an answer that was stopped before its first token as an empty answer", () => {
    const stopped = [message("user", "Hi"), message("assistant", "", []), message("user", "Hi?")];
    expect(write(load(templates.alternatingTemplate), stopped)).toBe("<s>[INST] Hi [/INST] </s>[INST] Hi? [/INST]");
  });

  test("that fails on a conversation all the same says so and what to do", () => {
    const source = `{% for m in messages %}{% if 'Bye' in m.content %}{{ raise_exception('No goodbyes') }}{% endif %}{% endfor %}${templates.chatMlTemplate}`;
    expect(() => write(load(source), conversation)).toThrow(
      expect.objectContaining({
        code: "TEMPLATE_FAILED",
        message: expect.stringContaining("No goodbyes") as string,
        data: { reason: "No goodbyes", line: 1 },
      }),
    );
  });
});

describe("without a template that works", () => {
  test.each([
    ["<|im_start|>", "ChatML", "<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n"],
    ["<|start_header_id|>", "Llama 3", "<|start_header_id|>user<|end_header_id|>\n\nBye<|eot_id|>"],
    ["<start_of_turn>", "Gemma", "<start_of_turn>user\nBye<end_of_turn>\n<start_of_turn>model\n"],
    ["[INST]", "[INST]", "[INST] Bye[/INST]"],
  ])("a vocabulary with %s gets the %s format", (sign, name, end) => {
    const template = load(null, { special: ["<s>", "</s>", sign] });
    expect(template.template).toBe("fallback");
    expect(template.reason).toContain(`has no chat template, so Reprise writes the conversation in the ${name} format`);
    expect(write(template, withSystem)).toContain(end);
    expect(write(template, withSystem)).toContain("Be kind");
  });

  test("a template that cannot be read is told as the reason, and still tells the format", () => {
    const template = load("{% if broken [INST]");
    expect(template.template).toBe("fallback");
    expect(template.reason).toMatch(/does not work \(.+\), so Reprise writes the conversation in the \[INST\] format/);
  });

  test("a template that leaves messages out is not used", () => {
    expect(load("{{ messages[0].content }}").reason).toContain("it leaves out messages");
  });

  test("a template that never ends is not used", () => {
    const endless = "{% for i in range(90000) %}{% for j in range(90000) %}{% endfor %}{% endfor %}";
    expect(load(endless).reason).toContain("it took too many steps");
  });

  test("any other model gets headings, and ends its answer before the next one", () => {
    const template = load(null);
    expect(write(template, withSystem)).toBe(
      "### System:\nBe kind\n\n### User:\nHi\n\n### Assistant:\nHello\n\n### User:\nBye\n\n### Assistant:\n",
    );
    expect(template.stopStrings).toContain("\n### User:");
  });
});

describe("a template set in place of the file's own", () => {
  const own = templates.chatMlTemplate;
  const other = "{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}[assistant] ";
  const broken = "{% for m in messages %}\n{{ m.content | }}\n{% endfor %}";
  const loadBoth = (source: string | null, override: string | null) =>
    loadChatTemplate({ source, override, tokenizer: new GreedyTokenizer({ special: ["<|im_start|>"] }) });

  test("is used where it works", () => {
    const template = loadBoth(own, other);
    expect(template).toMatchObject({ template: "override", reason: null, templateProblems: [] });
    expect(write(template, [message("user", "Hi")])).toBe("[user] Hi\n[assistant] ");
  });

  test("makes way for the file's own where it does not work, which is told with its line", () => {
    const template = loadBoth(own, broken);
    expect(template.template).toBe("model");
    expect(template.templateProblems).toEqual([{ from: "override", reason: "unexpected token: }}", line: 2 }]);
    expect(template.reason).toBe(
      "The chat template that was set for this model does not work (line 2: unexpected token: }}), so Reprise uses the one in its file.",
    );
    expect(write(template, [message("user", "Hi")])).toContain("<|im_start|>user\nHi");
  });

  test.each([
    ["has none", null, "does not work (it leaves out messages), and its file has none, so Reprise writes"],
    [
      "does not work either",
      "{{ nothing }}",
      "and the chat template in this model's file does not work (it leaves out messages), so Reprise writes",
    ],
  ])("makes way for a format of ours where the file %s", (_, source, reason) => {
    const template = loadBoth(source, "Say something:");
    expect(template).toMatchObject({ template: "fallback", templateFormat: "ChatML" });
    expect(template.reason).toContain(reason);
    expect(template.reason).toContain("in the ChatML format instead.");
  });

  test("while it is being written, nothing takes its place", () => {
    const tokenizer = new GreedyTokenizer();
    expect(() => draftTemplate(broken, "override", tokenizer)).toThrow(expect.objectContaining({ line: 2 }));
    expect(() => draftTemplate("Say something:", "override", tokenizer)).toThrow("it leaves out messages");
    expect(write(draftTemplate(other, "override", tokenizer), [message("user", "Hi")])).toContain("[user] Hi");
  });

  test("that takes too long is given up at once", () => {
    const deeper = "{% set ns.l = [ns.l, ns.l, ns.l, ns.l, ns.l, ns.l, ns.l, ns.l] %}";
    const slow = `{% set ns = namespace(l=[1]) %}{% for i in range(30) %}${deeper}{% endfor %}{{ ns.l | tojson }}`;
    expect(loadBoth(own, slow).templateProblems).toEqual([
      { from: "override", reason: "it took too long", line: null },
    ]);
  });
});
