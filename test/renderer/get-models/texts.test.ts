import { describe, expect, test } from "vitest";
import { downloadFraction, downloadText } from "../../../src-renderer/get-models/download-text.ts";
import { fitText } from "../../../src-renderer/get-models/fit-text.ts";
import { hubPage, isHere, lacksRoom } from "../../../src-renderer/get-models/hub-levels.ts";
import {
  forWhom,
  machineText,
  reasonText,
  roughRate,
  writingSpeed,
  speedBasis,
  weightsText,
} from "../../../src-renderer/get-models/offer-texts.ts";
import { sampleModelFile } from "../../helpers/sample-model-file.ts";
import { sampleDownload, sampleEntry, sampleHubFiles, sampleProposals } from "../../helpers/sample-offers.ts";

/** Spaces that do not break, as ordinary ones. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, " ");

describe("a download", () => {
  test("says how far it is, how fast, and how long it takes still", () => {
    expect(plain(downloadText(sampleDownload()))).toBe("1.00 GB of 2.50 GB · 41.0 MB/s · 37 s left");
    expect(plain(downloadText(sampleDownload({ bytesPerSecond: null, secondsLeft: null })))).toBe("1.00 GB of 2.50 GB");
    expect(downloadFraction(sampleDownload())).toBe(0.4);
  });

  test("says what it waits for, what is kept, and why it failed", () => {
    expect(plain(downloadText(sampleDownload({ state: "queued" })))).toContain("Waiting for the one before");
    expect(plain(downloadText(sampleDownload({ state: "paused" })))).toBe("Paused · 1.00 GB of 2.50 GB kept");
    expect(downloadText(sampleDownload({ state: "verifying" }))).toContain("checksum");
    expect(downloadFraction(sampleDownload({ state: "verifying" }))).toBeNull();
    const error = { code: "HUB_FAILED", message: "It broke off.", data: {} };
    expect(downloadText(sampleDownload({ state: "failed", error }))).toBe("It broke off.");
  });
});

describe("what is foreseen of a model", () => {
  const { machine } = sampleProposals();

  test("it fits, or how much is missing now, or it never will", () => {
    expect(fitText(7e9, machine)).toBe("fits");
    expect(plain(fitText(8.2e9, machine))).toBe("1.2 GB short now");
    expect(fitText(15.1e9, machine)).toBe("too large");
  });

  test("its weights, and of a mixture those that are active", () => {
    expect(weightsText(sampleEntry())).toBe("4.02B");
    expect(weightsText(sampleEntry({ parameters: 134.5e6 }))).toBe("135M");
    expect(weightsText(sampleEntry({ parameters: 30.5e9, activeParameters: 3.3e9 }))).toBe("30.5B, 3.3B active");
    expect(forWhom(sampleEntry())).toBe("For laptops.");
  });

  test("its speed only where something was measured, and from what", () => {
    expect(roughRate(null)).toBe("–");
    expect(roughRate(12.4)).toBe("≈ 12");
    expect([writingSpeed(null), writingSpeed(12.4)]).toEqual(["–", "≈ 12 tokens/s"]);
    expect(speedBasis({ measured: null })).toContain("once a model has been loaded");
    const measured = {
      modelName: "SmolLM2",
      sizeBytes: 98e6,
      prefillTokensPerSecond: 301,
      decodeTokensPerSecond: 71.2,
      underLoad: false,
    };
    expect(plain(speedBasis({ measured }))).toContain(
      "from SmolLM2 (98.0 MB), measured here: it writes 71.2 and reads 301 tokens a second",
    );
    expect(speedBasis({ measured: { ...measured, underLoad: true } })).toContain("while other programs were busy");
  });

  test("the machine, and its disk where that is known", () => {
    expect(plain(machineText(sampleProposals()))).toBe(
      "This machine has 16.0 GB of memory; 8.00 GB are free now, of which 1.00 GB are left to other programs. 100 GB are free on the disk.",
    );
    expect(machineText(sampleProposals({ diskFreeBytes: null }))).not.toContain("disk");
  });

  test("why it is proposed", () => {
    const reasons = (["strongest", "balanced", "quickest"] as const).map(reasonText);
    expect(new Set(reasons).size).toBe(3);
  });
});

describe("a hub's files", () => {
  test("have a page, unless the name is none", () => {
    expect(hubPage("someone/qwen")).toBe("https://huggingface.co/someone/qwen");
    expect(hubPage("javascript:alert(1)//x")).toBeNull();
    expect(hubPage("qwen3-4b")).toBeNull();
  });

  test("are here where the models folder has them, however its system writes paths", () => {
    const { repository, levels } = sampleHubFiles();
    const [level] = levels;
    if (level === undefined) throw new Error("The sample has no level.");
    const at = (path: string) => isHere(repository, level, [sampleModelFile({ path })]);
    expect(at("/models/someone/qwen/m-Q4_K_M.gguf")).toBe(true);
    expect(at("C:\\models\\someone\\qwen\\m-Q4_K_M.gguf")).toBe(true);
    expect(at("/models/someone/other/m-Q4_K_M.gguf")).toBe(false);
  });

  test("lack room only where the disk says so", () => {
    expect(lacksRoom(10, 10)).toBe(true);
    expect(lacksRoom(10, 11)).toBe(false);
    expect(lacksRoom(10, null)).toBe(false);
  });
});
