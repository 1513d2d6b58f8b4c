import { describe, expect, test } from "vitest";
import { endingText } from "../../../src-renderer/chat/ending-text.ts";
import { inspectedAnswer } from "../../../src-renderer/chat/inspected-answer.ts";
import { memoryParts } from "../../../src-renderer/chat/memory-parts.ts";
import { sendsOn } from "../../../src-renderer/chat/sends-on.ts";
import { shortened } from "../../../src-renderer/chat/shortened.ts";
import { sampleReport } from "../../helpers/sample-report.ts";
import { sampleMessage } from "../../helpers/sample-thread.ts";

describe("a long message of the user's own", () => {
  test("is shortened by lines or by characters, a short one not at all", () => {
    expect(shortened("Hello")).toBeNull();
    expect(shortened("a\n".repeat(100))?.split("\n")).toHaveLength(30);
    expect(shortened("a".repeat(30_000))).toBe(`${"a".repeat(3_000)}…`);
  });
});

describe("why an answer ended", () => {
  const answer = (changes: Parameters<typeof sampleMessage>[0]) => sampleMessage({ role: "assistant", ...changes });

  test("needs no words where the model was done", () => {
    expect(endingText(answer({ report: sampleReport() }))).toBeNull();
  });

  test("is said where it was stopped, cut, or the context was full", () => {
    expect(endingText(answer({ status: "stopped", content: "Par" }))).toBe("Stopped. What was written is kept.");
    expect(endingText(answer({ status: "stopped", content: "" }))).toBe("Stopped before the first word.");
    const report = sampleReport({ stopReason: "length", outputTokens: 1_200 });
    expect(endingText(answer({ report }))).toContain("1,200 tokens");
    expect(endingText(answer({ report: sampleReport({ stopReason: "context-full" }) }))).toContain(
      "2,048 tokens is full",
    );
  });

  test("is left to the error where there is one", () => {
    const error = { code: "INTERNAL", message: "x", data: { reason: "x" } };
    expect(endingText(answer({ status: "failed", error }))).toBeNull();
    expect(endingText(answer({ status: "failed" }))).toContain("failed");
  });
});

describe("the inspector", () => {
  const report = sampleReport();
  const messages = [
    sampleMessage({ id: "q1" }),
    sampleMessage({ id: "a1", role: "assistant", report }),
    sampleMessage({ id: "q2" }),
    sampleMessage({ id: "a2", role: "assistant", report }),
    sampleMessage({ id: "q3" }),
    sampleMessage({ id: "a3", role: "assistant" }),
  ];

  test("shows the last answer that has a report", () => {
    expect(inspectedAnswer(messages, null)).toMatchObject({ message: { id: "a2" }, turn: 2, turns: 3 });
  });

  test("shows the chosen one", () => {
    expect(inspectedAnswer(messages, "a1")).toMatchObject({ message: { id: "a1" }, turn: 1, turns: 3 });
  });

  test("shows nothing while there is nothing", () => {
    expect(inspectedAnswer(messages.slice(0, 1), null)).toBeNull();
  });
});

describe("memory", () => {
  test("is divided into parts that do not overlap", () => {
    const { totalBytes, shares } = memoryParts({
      ...sampleReport().memory,
      weights: 500,
      kvAllocated: 300,
      kvLive: 100,
      kvParked: 40,
      kvShared: 60,
      computeBuffers: 200,
      otherModels: [
        { name: "a", level: "Q8_0", bytes: 600 },
        { name: "b", level: null, bytes: 400 },
      ],
    });
    expect(totalBytes).toBe(2_000);
    expect(shares).toEqual([
      { part: "weights", bytes: 500, fraction: 0.25 },
      { part: "kv-active", bytes: 60, fraction: 0.03 },
      { part: "kv-parked", bytes: 40, fraction: 0.02 },
      { part: "kv-free", bytes: 200, fraction: 0.1 },
      { part: "compute", bytes: 200, fraction: 0.1 },
      { part: "others", bytes: 1_000, fraction: 0.5 },
    ]);
  });
});

describe("the key that sends", () => {
  const enter = {
    key: "Enter",
    shiftKey: false,
    altKey: false,
    ctrlKey: false,
    metaKey: false,
    isComposing: false,
    keyCode: 13,
  };

  test("is Enter, unless Shift makes it a new line or the user wants it otherwise", () => {
    expect(sendsOn(enter, true)).toBe(true);
    expect(sendsOn({ ...enter, shiftKey: true }, true)).toBe(false);
    expect(sendsOn(enter, false)).toBe(false);
  });

  test("is always Ctrl+Enter and Cmd+Enter", () => {
    expect(sendsOn({ ...enter, ctrlKey: true }, false)).toBe(true);
    expect(sendsOn({ ...enter, metaKey: true }, true)).toBe(true);
  });

  test("is never the Enter that ends a composed character", () => {
    expect(sendsOn({ ...enter, isComposing: true }, true)).toBe(false);
    expect(sendsOn({ ...enter, keyCode: 229 }, true)).toBe(false);
  });
});
