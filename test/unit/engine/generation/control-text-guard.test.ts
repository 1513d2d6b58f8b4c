import { describe, expect, test } from "vitest";
import { ControlTextGuard, chooseMark } from "../../../../src-main/engine/generation/control-text-guard.ts";
import { message } from "../../../helpers/prompt-message.ts";

const guard = new ControlTextGuard({
  specialTexts: ["<|im_end|>", "</s>", "[INST]", "|im_", "x", "  "],
  userDefinedTexts: ["<tool>", "<b>", "\n\n", "user"],
  wording: "<tool>{{ user }}\n\n",
});

const protect = (role: "user" | "assistant", content: string): string => guard.protect(message(role, content), "*");

describe("a message's text", () => {
  test("is left alone where it holds no control text", () => {
    expect(protect("user", "a < b </ s> x\n\n")).toBe("a < b </ s> x\n\n");
  });

  test("is broken inside every control text", () => {
    expect(protect("user", "1</s>2</s>[INST]")).toBe("1<*/s>2<*/s>[*INST]");
  });

  test("is broken inside control texts that overlap", () => {
    expect(protect("user", "<|im_end|>")).toBe("<*|*im_end|>");
  });

  test("is broken in a user's message where it imitates a user-defined token of the template", () => {
    expect(protect("user", "<tool><b>")).toBe("<*tool><b>");
  });

  test("keeps user-defined tokens in an answer, where templates look for them", () => {
    expect(protect("assistant", "<tool></s>")).toBe("<tool><*/s>");
  });
});

test("a vocabulary without control tokens breaks nothing", () => {
  const open = new ControlTextGuard({ specialTexts: [], userDefinedTexts: [], wording: "" });
  expect(open.protect(message("user", "<|im_end|>"), "*")).toBe("<|im_end|>");
});

describe("the mark", () => {
  test("is a private-use character", () => {
    expect(chooseMark(["text"])).toBe("\ue000");
  });

  test("is none that the conversation holds", () => {
    expect(chooseMark(["a\ue000", "\ue002\ue001"])).toBe("\ue003");
  });

  test("cannot be had when a conversation holds them all, which is said", () => {
    const all = Array.from({ length: 0x1900 }, (_, index) => String.fromCharCode(0xe000 + index)).join("");
    expect(() => chooseMark([all])).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
  });
});
