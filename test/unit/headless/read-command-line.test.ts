import { describe, expect, test } from "vitest";
import { readCommandLine } from "../../../src-main/headless/read-command-line.ts";

const read = (...words: string[]) => readCommandLine(words, "1.2.3");
const common = { folders: { data: null, models: null }, json: false };

describe("chat", () => {
  test("asks in a new conversation, with nothing changed", () => {
    expect(read("chat", "Hello there")).toEqual({
      kind: "run",
      invocation: {
        command: "chat",
        ...common,
        conversation: null,
        model: null,
        system: null,
        sampling: {},
        message: "Hello there",
      },
    });
  });

  test("takes words without quotes as one message", () => {
    expect(read("chat", "Hello", "there")).toMatchObject({ invocation: { message: "Hello there" } });
  });

  test("has no message of its own where none is given", () => {
    expect(read("chat")).toMatchObject({ invocation: { message: null } });
  });

  test("takes a message that looks like an option after two dashes", () => {
    expect(read("chat", "--json", "--", "--help")).toMatchObject({ invocation: { json: true, message: "--help" } });
  });

  test("takes every option", () => {
    const words =
      "--data d --models m --conversation k3 --model a.gguf --max-tokens 20 --temperature 0 --seed 7 --json".split(" ");
    expect(read("chat", "--system", "Be brief.", ...words, "Hi")).toEqual({
      kind: "run",
      invocation: {
        command: "chat",
        folders: { data: "d", models: "m" },
        json: true,
        conversation: "k3",
        model: "a.gguf",
        system: "Be brief.",
        sampling: { maxTokens: 20, temperature: 0, seed: 7 },
        message: "Hi",
      },
    });
  });

  test("names a new conversation by the word new", () => {
    expect(read("chat", "--conversation", "new", "Hi")).toMatchObject({ invocation: { conversation: null } });
  });

  test.each([
    ["--temperature", "hot", "a number from 0 to 5"],
    ["--temperature", "-1", "a number from 0 to 5"],
    ["--temperature", "", "a number from 0 to 5"],
    ["--seed", "1.5", "a whole number from 0 to 4294967295"],
    ["--seed", "4294967296", "a whole number from 0 to 4294967295"],
    ["--max-tokens", "0", "a whole number from 1"],
  ])("refuses %s %j in one line that says what is expected", (option, value, expected) => {
    const reading = read("chat", option, value, "Hi");
    expect(reading).toMatchObject({ kind: "mistake" });
    const { line } = reading as { line: string };
    expect(line).toContain(option);
    expect(line).toContain(expected);
    expect(line).not.toContain("\n");
  });
});

describe("the other commands", () => {
  test("serve listens on any free port unless told otherwise", () => {
    expect(read("serve")).toEqual({ kind: "run", invocation: { command: "serve", ...common, port: 0, open: false } });
    expect(read("serve", "--port", "4000", "--open")).toMatchObject({ invocation: { port: 4000, open: true } });
    expect(read("serve", "--port", "65536")).toMatchObject({ kind: "mistake" });
  });

  test.each(["show", "delete"])("%s needs an id", (command) => {
    expect(read(command, "k3")).toEqual({ kind: "run", invocation: { command, ...common, id: "k3" } });
    expect(read(command)).toMatchObject({ kind: "mistake", line: expect.stringContaining("'id'") as string });
  });

  test("list takes options only", () => {
    expect(read("list", "--json")).toEqual({ kind: "run", invocation: { command: "list", ...common, json: true } });
    expect(read("list", "more")).toMatchObject({ kind: "mistake" });
  });
});

describe("models", () => {
  test("a model is removed by its id, with its file where that is said", () => {
    const options = { ...common, id: "abc", deletesFile: false };
    expect(read("models", "remove", "abc")).toMatchObject({ invocation: { subcommand: "remove", options } });
    expect(read("models", "remove", "abc", "--delete-file")).toMatchObject({
      invocation: { options: { ...options, deletesFile: true } },
    });
    expect(read("models", "remove")).toMatchObject({ kind: "mistake" });
  });

  test.each([[["models"]], [["models", "list"]]])("%j lists", (words) => {
    expect(read(...words)).toMatchObject({
      kind: "run",
      invocation: { command: "models", subcommand: "list", options: common },
    });
  });

  test.each([
    [["qwen3-4b"], "qwen3-4b", null],
    [["someone/model"], "someone/model", null],
    [["someone/model:Q8_0"], "someone/model", "Q8_0"],
    [["someone/model", "--level", "q8_0"], "someone/model", "q8_0"],
    [["https://huggingface.co/someone/model"], "https://huggingface.co/someone/model", null],
  ])("get %j fetches a model and a level of it", (words, name, level) => {
    expect(read("models", "get", ...words, "--json")).toMatchObject({
      invocation: { command: "models", subcommand: "get", options: { name, level, json: true } },
    });
  });

  test("get needs a name", () => {
    expect(read("models", "get")).toMatchObject({ kind: "mistake", line: expect.stringContaining("'name'") as string });
  });

  test("takes what all commands take before and after the subcommand", () => {
    const options = { folders: { data: "d", models: null }, json: true };
    expect(read("models", "--data", "d", "list", "--json")).toMatchObject({ invocation: { options } });
    expect(read("models", "--json", "--data", "d")).toMatchObject({ invocation: { options } });
  });

  test("refuses what it does not know in one line that says what there is", () => {
    expect(read("models", "lits")).toMatchObject({
      kind: "mistake",
      line: expect.stringMatching(/'models lits'.*list/) as string,
    });
    expect(read("models", "list", "more")).toMatchObject({ kind: "mistake" });
  });

  test.each(["list", "get", "remove"])("%s explains itself", (subcommand) => {
    expect(read("models", subcommand, "--help")).toMatchObject({
      kind: "text",
      text: expect.stringMatching(new RegExp(`^Usage: reprise models ${subcommand} (.|\n)*--json`)) as string,
    });
    expect(read("models", "--help")).toMatchObject({
      text: expect.stringMatching(new RegExp(`Commands:(.|\n)*  ${subcommand} `)) as string,
    });
  });
});

describe("cache", () => {
  test("tells what is cached unless told otherwise", () => {
    expect(read("cache")).toEqual({
      kind: "run",
      invocation: { command: "cache", ...common, action: "stats", conversation: null },
    });
    expect(read("cache", "verify", "--json")).toMatchObject({ invocation: { action: "verify", json: true } });
    expect(read("cache", "clear")).toMatchObject({ invocation: { action: "clear" } });
  });

  test("verifies a conversation too, and does nothing else with one", () => {
    expect(read("cache", "verify", "k3")).toMatchObject({ invocation: { action: "verify", conversation: "k3" } });
    expect(read("cache", "clear", "k3")).toEqual({
      kind: "mistake",
      line: "cache clear takes no conversation. See reprise --help.",
    });
  });

  test("refuses what it does not know in one line that says what there is", () => {
    expect(read("cache", "purge")).toMatchObject({
      kind: "mistake",
      line: expect.stringMatching(/purge.*stats, verify, clear/) as string,
    });
  });
});

describe("what is no command", () => {
  test.each([["lits"], ["list", "--jason"], ["--bad"]])(
    "is answered with one line that names it and the help: %s",
    (...words) => {
      const reading = read(...words);
      expect(reading).toMatchObject({ kind: "mistake" });
      const { line } = reading as { line: string };
      expect(line).toContain(words.at(-1));
      expect(line).toMatch(/See reprise --help\.$/);
      expect(line).not.toMatch(/\n|^error/);
    },
  );
});

test("a slip of the finger gets a suggestion", () => {
  expect(read("lits")).toMatchObject({ line: "unknown command 'lits' (Did you mean list?) See reprise --help." });
});

describe("help and version", () => {
  test.each([[], ["--help"], ["help"]])("lists the commands: %s", (...words) => {
    const reading = read(...words);
    expect(reading).toMatchObject({ kind: "text" });
    const { text } = reading as { text: string };
    for (const name of ["chat", "serve", "list", "show", "delete", "models", "cache"])
      expect(text).toContain(`  ${name} `);
  });

  test.each(["chat", "serve", "list", "show", "delete", "models", "cache"])("%s explains itself", (command) => {
    expect(read(command, "--help")).toMatchObject({
      kind: "text",
      text: expect.stringMatching(new RegExp(`^Usage: reprise ${command} (.|\n)*--json`)) as string,
    });
  });

  test("the version is the program's", () => {
    expect(read("--version")).toEqual({ kind: "text", text: "1.2.3\n" });
  });
});
