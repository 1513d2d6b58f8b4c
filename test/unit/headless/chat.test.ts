import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { commandSession, jsonFrom, type PrintedAnswer } from "../../helpers/command-session.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

// Processes start and end in these tests.
vi.setConfig({ testTimeout: 60_000 });

describe("a question on the command line", () => {
  test("is answered on standard output, and nothing is said beside", async () => {
    const session = commandSession({ folder: temporaryFolder() });
    expect(await session.run("chat", "Hello there")).toBe(0);
    expect(session.output()).toBe("You said: Hello there\n");
    expect(session.errors()).toBe("");
  });

  test("comes from a pipe where none is given", async () => {
    const session = commandSession({ folder: temporaryFolder() });
    session.type("two\nlines\n");
    session.endInput();
    expect(await session.run("chat")).toBe(0);
    expect(session.output()).toBe("You said: two\nlines\n");
  });

  test("that is empty is refused in one line", async () => {
    const session = commandSession({ folder: temporaryFolder() });
    session.endInput();
    expect(await session.run("chat")).toBe(1);
    expect(session.errors()).toBe("reprise: There is no message to answer.\n");
  });

  test("answered as JSON is one object with the report", async () => {
    const session = commandSession({ folder: temporaryFolder() });
    const answer = await jsonFrom<PrintedAnswer>(session, "chat", "Hi");
    expect(Object.keys(answer)).toEqual(["conversationId", "messageId", "text", "report"]);
    expect(answer).toMatchObject({ text: "You said: Hi", report: { stopReason: "end" } });
    expect(session.output()).toMatch(/^\{.*\}\n$/);
  });

  test("at a terminal tells what it cost, and the answer cannot steer the terminal", async () => {
    const session = commandSession({ folder: temporaryFolder(), isTerminal: true });
    expect(await session.run("chat", "\u001b[31mred")).toBe(0);
    expect(session.output()).toBe("You said: [31mred\n");
    expect(session.errors()).toMatch(/conversation [0-9a-z]{12}, 3 tokens, 77\.5 tokens\/s/);
  });
});

describe("a conversation", () => {
  test("goes on by the start of its id", async () => {
    const session = commandSession({ folder: temporaryFolder() });
    const first = await jsonFrom<PrintedAnswer>(session, "chat", "One");
    const second = await jsonFrom<PrintedAnswer>(
      session,
      "chat",
      "--conversation",
      first.conversationId.slice(0, 8),
      "/prompt",
    );
    expect(second.conversationId).toBe(first.conversationId);
    expect(JSON.parse(second.text)).toMatchObject([
      { content: "One" },
      { content: "You said: One" },
      { content: "/prompt" },
    ]);
  });

  test("takes a system prompt and sampling, and keeps what is not named again", async () => {
    const session = commandSession({ folder: temporaryFolder() });
    const { conversationId } = await jsonFrom<PrintedAnswer>(
      session,
      "chat",
      "--system",
      "Be brief.",
      "--seed",
      "7",
      "One",
    );
    await jsonFrom(session, "chat", "-c", conversationId, "--temperature", "0", "Two");
    const thread = await jsonFrom(session, "show", conversationId);
    expect(thread).toMatchObject({
      conversation: { systemPrompt: "Be brief.", sampling: { seed: 7, temperature: 0, topK: 40 } },
    });
    await jsonFrom(session, "chat", "-c", conversationId, "--system", "", "Three");
    expect(await jsonFrom(session, "show", conversationId)).toMatchObject({ conversation: { systemPrompt: "" } });
  });

  test("that does not exist is said, and none is begun", async () => {
    const session = commandSession({ folder: temporaryFolder() });
    expect(await session.run("chat", "--conversation", "zzz", "Hi")).toBe(1);
    expect(session.errors()).toBe("reprise: There is no conversation with the id “zzz”.\n");
    expect(await jsonFrom(session, "list")).toEqual([]);
  });

  test("is listed, shown and deleted", async () => {
    const session = commandSession({ folder: temporaryFolder() });
    const { conversationId } = await jsonFrom<PrintedAnswer>(session, "chat", "Hello there");
    expect(await jsonFrom(session, "list")).toMatchObject([{ id: conversationId, title: "Hello there" }]);
    await session.run("show", conversationId);
    expect(session.output()).toContain("# Hello there\n");
    expect(session.output()).toContain("## You\n\nHello there\n\n## default\n\nYou said: Hello there\n\n(4 tokens");
    await session.run("delete", conversationId.slice(0, 6));
    expect(session.output()).toContain(`Deleted ${conversationId}: Hello there\n`);
    expect(await jsonFrom(session, "list")).toEqual([]);
  });
});

describe("a model", () => {
  test("is a file, and is known by its id from then on", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "mine.gguf");
    writeFileSync(path, "GGUF");
    const session = commandSession({ folder });
    await jsonFrom(session, "chat", "--model", path, "Hi");
    const models = await jsonFrom<{ id: string; path: string }[]>(session, "models");
    expect(models.map((model) => model.path).sort()).toEqual([join(folder, "models", "default.gguf"), path].sort());
    const mine = models.find((model) => model.path === path);
    const answer = await jsonFrom<PrintedAnswer>(session, "chat", "--model", mine?.id.slice(0, 10) ?? "", "Hi");
    expect(await jsonFrom(session, "show", answer.conversationId)).toMatchObject({
      conversation: { modelId: mine?.id },
    });
  });

  test.each([
    ["gone.gguf", /gone\.gguf/],
    ["no-such-id", /no model “no-such-id”.*reprise models/],
  ])("that is not there is said in one line, and no conversation is begun: %s", async (name, sentence) => {
    const session = commandSession({ folder: temporaryFolder() });
    expect(await session.run("chat", "--model", name, "Hi")).toBe(1);
    expect(session.errors()).toMatch(sentence);
    expect(session.errors()).toMatch(/^reprise: [^\n]+\n$/);
    expect(await jsonFrom(session, "list")).toEqual([]);
  });

  test("that cannot be fetched is said in one line, and no conversation is begun", async () => {
    const session = commandSession({ folder: temporaryFolder(), hasModel: false });
    expect(await session.run("chat", "Hi")).toBe(1);
    expect(session.errors()).toMatch(/^reprise: [^\n]+\n$/);
    expect(await jsonFrom(session, "list")).toEqual([]);
  });
});
