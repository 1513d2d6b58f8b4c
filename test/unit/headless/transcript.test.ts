import { describe, expect, test } from "vitest";
import { renderTranscript } from "../../../src-main/headless/transcript.ts";
import { sampleReport } from "../../helpers/sample-report.ts";
import { sampleMessage, sampleThread } from "../../helpers/sample-thread.ts";

describe("a transcript", () => {
  test("reads as Markdown, with what each answer cost", () => {
    const report = sampleReport({ outputTokens: 7, decodeTokensPerSecond: 33.14, ttftMs: 212 });
    const answer = sampleMessage({
      id: "m2",
      role: "assistant",
      content: "Paris.\n",
      modelName: "SmolLM2 Q4_1",
      report,
    });
    expect(renderTranscript(sampleThread([sampleMessage(), answer], { systemPrompt: "Be brief." }))).toBe(
      `# Capitals

Conversation k3jd93kd02ms, begun 2026-11-29 12:00

## System prompt

Be brief.

## You

What is the capital of France?

## SmolLM2 Q4_1

Paris.

(7 tokens, 33.1 tokens/s, first token after 0.21 s, reused 90 of 120)`,
    );
  });

  test("says how an answer ended that is not complete", () => {
    const failed = { code: "ENGINE_CRASHED", message: "The engine\ncrashed.", data: {} };
    const text = renderTranscript(
      sampleThread([
        sampleMessage({ role: "assistant", status: "stopped", content: "Par" }),
        sampleMessage({ role: "assistant", status: "failed", content: "", error: failed }),
        sampleMessage({ role: "assistant", status: "streaming", content: "P" }),
      ]),
    );
    expect(text).toContain("Par\n\n(stopped)");
    expect(text).toContain("## Model\n\n(failed: The engine crashed.)");
    expect(text).toContain("P\n\n(still being written)");
  });

  test("says which version of a message it shows", () => {
    const text = renderTranscript(sampleThread([sampleMessage({ id: "m2", siblingIds: ["m1", "m2", "m3"] })]));
    expect(text).toContain("(version 2 of 3)");
  });
});
