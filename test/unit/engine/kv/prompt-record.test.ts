import { describe, expect, test } from "vitest";
import { messageAt, nearestPrompt, tokensOfMessage, withAnswer } from "../../../../src-main/engine/kv/prompt-record.ts";
import { answer, record, textOf } from "../../../helpers/prompt-records.ts";

const short = record([{ role: "user", text: "hi" }]);
const answered = withAnswer(short, answer("yes"));
const long = withAnswer(
  record([
    { role: "user", text: "hi" },
    { role: "assistant", text: "yes" },
    { role: "user", text: "why" },
  ]),
  answer("because"),
);

describe("the nearest earlier prompt", () => {
  test("is the one with the longest common beginning, not the latest", () => {
    const other = record([{ role: "user", text: "ho" }]);
    expect(nearestPrompt([long, other], record([{ role: "user", text: "hi" }]))).toBe(long);
  });

  test("of equal ones is the very same prompt", () => {
    expect(nearestPrompt([answered, long], short)).toBe(answered);
  });

  test("of equal ones is that of the same model", () => {
    const elsewhere = { ...answered, modelFingerprint: "other" };
    expect(nearestPrompt([answered, elsewhere], short)).toBe(answered);
  });

  test("of equal ones is the latest", () => {
    const again = withAnswer(short, answer("no"));
    expect(nearestPrompt([answered, again], short)).toBe(again);
  });

  test("is none where nothing came before", () => {
    expect(nearestPrompt([], short)).toBeNull();
  });
});

describe("messages in tokens", () => {
  test("end where the next begins, and the prompt's last where the answer is opened", () => {
    const spelled = long.messages.map((message) => textOf(tokensOfMessage(long, message)));
    expect(spelled).toEqual(["<90002>hi<90009>", "<90003>yes<90009>", "<90002>why<90009>", "<90003>because"]);
    expect(short.messages.map((message) => textOf(tokensOfMessage(short, message)))).toEqual(["<90002>hi<90009>"]);
  });

  test("are found by position; the opening of an answer belongs to none before there is one", () => {
    expect(messageAt(short, 0)?.role).toBe("user");
    expect(messageAt(short, short.answerStart)).toBeNull();
    expect(messageAt(answered, short.answerStart)?.role).toBe("assistant");
    expect(messageAt(record([], { preamble: "note" }), 1)).toBeNull();
  });
});
