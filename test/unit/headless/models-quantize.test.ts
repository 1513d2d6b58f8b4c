import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { readCommandLine } from "../../../src-main/headless/read-command-line.ts";
import { commandSession, type CommandSession } from "../../helpers/command-session.ts";
import { predictedBytes } from "../../helpers/fake-quantizer.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

let folder: string;
let source: string;
let session: CommandSession;

beforeEach(() => {
  folder = temporaryFolder();
  source = join(folder, "Tiny-F16.gguf");
  writeFileSync(source, "GGUF");
  session = commandSession({ folder });
});

describe("the grammar", () => {
  const read = (...words: string[]) => readCommandLine(["models", "quantize", ...words], "1.2.3");

  test("takes every option", () => {
    const words = "--imatrix i.dat --output o.gguf --allow-requantize --overwrite --threads 2 --json".split(" ");
    expect(read("a.gguf", "q4_k", ...words)).toMatchObject({
      invocation: {
        subcommand: "quantize",
        options: {
          path: "a.gguf",
          level: "Q4_K_M",
          imatrix: "i.dat",
          output: "o.gguf",
          allowRequantize: true,
          overwrite: true,
          threads: 2,
          json: true,
        },
      },
    });
  });

  test.each([
    [["a.gguf"], "'level'"],
    [["a.gguf", "Q9"], "There is no level Q9"],
    [["a.gguf", "Q8_0", "--threads", "0"], "a whole number from 1 to 512"],
  ])("refuses %j in one line", (words, part) => {
    const reading = read(...words);
    expect(reading).toMatchObject({ kind: "mistake", line: expect.stringContaining(part) as string });
  });

  test("lists the levels in its help", () => {
    expect(read("--help")).toMatchObject({ text: expect.stringContaining("Q4_K_M, IQ4_NL") as string });
  });
});

describe("a file", () => {
  test("is made, and told in one JSON document", async () => {
    const ended = session.run("models", "quantize", source, "Q4_K_M", "--json");
    (await session.quantizer.next()).finish();
    expect(await ended).toBe(0);
    const path = join(folder, "Tiny-Q4_K_M.gguf");
    expect(JSON.parse(session.output())).toEqual({ path, bytes: predictedBytes, predictedBytes });
    expect(session.errors()).toBe("");
    expect(existsSync(path)).toBe(true);
  });

  test("is told as a line to a person, who sees how far it is", async () => {
    session = commandSession({ folder, isTerminal: true });
    const ended = session.run("models", "quantize", source, "Q4_K_M");
    const making = await session.quantizer.next();
    making.write(500);
    await session.sees("Making Q4_K_M: 50 %");
    making.finish();
    expect(await ended).toBe(0);
    expect(session.output()).toBe(`${join(folder, "Tiny-Q4_K_M.gguf")} (0.0 MB)\n`);
  });

  test("that is refused is told in one line", async () => {
    session.quantizer.forecast = { predictedBytes, needsImatrix: false, isLossySource: true };
    expect(await session.run("models", "quantize", source, "Q4_K_M")).toBe(1);
    expect(session.errors()).toMatch(/^reprise: .*quantized already[^\n]*\n$/);
    expect(session.output()).toBe("");
  });

  test("that fails is told in one line", async () => {
    const ended = session.run("models", "quantize", source, "Q4_K_M");
    (await session.quantizer.next()).die({ code: 1, signal: null, output: "" });
    expect(await ended).toBe(1);
    expect(session.errors()).toMatch(/^reprise: The quantizer stopped unexpectedly: [^\n]*\n$/);
  });

  test("that is stopped leaves nothing", async () => {
    const ended = session.run("models", "quantize", source, "Q4_K_M");
    (await session.quantizer.next()).write(100);
    session.stop("SIGINT");
    expect(await ended).toBe(130);
    expect(session.errors()).toBe("reprise: Stopped. Nothing of the quantization was kept.\n");
    expect(readdirSync(folder).filter((name) => name.includes("Q4_K_M") || name.includes("quantizing"))).toEqual([]);
    expect(session.quantizer.running()).toBe(0);
  });
});
