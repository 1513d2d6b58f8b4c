import { describe, expect, test } from "vitest";
import type { SwitchCost } from "../../../src-main/contract/model-switch.ts";
import { switchCostText } from "../../../src-renderer/models/switch-cost-text.ts";
import { sampleSwitchCost } from "../../helpers/sample-switch-cost.ts";

const levels: Readonly<Record<string, string>> = { q2: "Q2_K", q4: "Q4_1" };

/** As it is read, with plain spaces. */
function text(changes: Partial<SwitchCost>, active: string | null = "Q4_1"): string {
  const names = { active, nameOf: (id: string) => levels[id] ?? "?" };
  return switchCostText(sampleSwitchCost(changes), names).replaceAll("\u00a0", " ");
}

describe("what a switch costs", () => {
  test("is what is read and computed, how long that takes, and what stays", () => {
    expect(text({ loadMs: 400, computeMs: 1_700 })).toBe(
      "Reads 145 MB, computes 412 tokens again, about 2.1 s; Q4_1 stays in memory.",
    );
  });

  test("has no more time than was measured", () => {
    expect(text({ computeMs: 1_700 })).toContain("computes 412 tokens again, about 1.7 s of computing;");
    expect(text({ loadMs: 400 })).toBe("Reads 145 MB, computes 412 tokens again; Q4_1 stays in memory.");
  });

  test("is less where much is stored", () => {
    expect(text({ storedTokens: 411, computeTokens: 1, loadMs: 400, computeMs: 10 })).toBe(
      "Reads 145 MB, restores 411 tokens, computes 1 token again, about 410 ms; Q4_1 stays in memory.",
    );
    expect(text({ storedTokens: 412, computeTokens: 0, loadMs: 400 })).toBe(
      "Reads 145 MB, everything is stored, about 400 ms; Q4_1 stays in memory.",
    );
  });

  test("is none where it is in memory and nothing is to be computed", () => {
    const resident = { isResident: true, loadBytes: 0, computeTokens: 0, loadMs: 0, computeMs: 0 };
    expect(text({ ...resident, residentTokens: 412 })).toBe(
      "At once: it is in memory and everything is in place; Q4_1 stays in memory.",
    );
    expect(text({ ...resident, storedTokens: 412 })).toContain("everything is stored");
    expect(text({ ...resident, promptTokens: 0 })).toBe("At once: it is in memory; Q4_1 stays in memory.");
  });

  test("is only what it computes where it is in memory", () => {
    const resident = { isResident: true, loadBytes: 0, loadMs: 0, storedTokens: 256, computeTokens: 156 };
    expect(text({ ...resident, computeMs: 800 })).toBe(
      "In memory already, restores 256 tokens, computes 156 tokens again, about 800 ms; Q4_1 stays in memory.",
    );
  });

  test("is not made up where tokens cannot be counted", () => {
    expect(text({ promptTokens: null, computeTokens: null, loadMs: 400 }, null)).toBe(
      "Reads 145 MB, how much has to be computed shows when it is loaded.",
    );
  });

  test("says what makes way, and that it does not fit even so", () => {
    expect(text({ keepsActive: false, closes: ["q4"] })).toContain("; Q4_1 makes way.");
    expect(text({ closes: ["q2"] })).toContain("; Q2_K makes way, Q4_1 stays in memory.");
    expect(text({ keepsActive: false, closes: ["q2", "q4"], isFitting: false })).toContain(
      "; Q2_K, Q4_1 make way, it does not fit: 381 MB of memory are needed",
    );
    expect(text({ isFitting: false, memoryBytes: null })).toContain("it does not fit in memory and may be slow");
  });

  test("does not speak of the model that answers now as of another", () => {
    expect(text({ isActive: true, isResident: true, computeTokens: 0, residentTokens: 412 })).not.toContain("stays");
  });
});
