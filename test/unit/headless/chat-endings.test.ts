import { stripVTControlCharacters } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { commandSession, jsonFrom, type PrintedAnswer } from "../../helpers/command-session.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

// Processes start and end in these tests.
vi.setConfig({ testTimeout: 60_000 });

describe("an answer that fails", () => {
  test("is kept as far as it came, and the cause is one line", async () => {
    const session = commandSession({ folder: temporaryFolder() });
    expect(await session.run("chat", "/crash 3")).toBe(1);
    expect(session.output()).toBe("1 2 3 \n");
    expect(session.errors()).toMatch(/^reprise: [^\n]+\n$/);
    expect(await jsonFrom(session, "list")).toHaveLength(1);
  });

  test("prints no JSON", async () => {
    const session = commandSession({ folder: temporaryFolder() });
    expect(await session.run("chat", "--json", "/fail")).toBe(1);
    expect(session.output()).toBe("");
    expect(session.errors()).toMatch(/^reprise: [^\n]+\n$/);
  });
});

describe("being stopped", () => {
  test("ends the answer and keeps what there is of it", async () => {
    const folder = temporaryFolder();
    const session = commandSession({ folder });
    const run = session.run("chat", "/count 10000 5");
    await session.sees("3 ");
    session.stop("SIGINT");
    expect(await run).toBe(130);
    expect(session.errors()).toMatch(/^reprise: Stopped\. The answer so far is kept in conversation [0-9a-z]{12}\.\n$/);
    const later = commandSession({ folder });
    const [conversation] = await jsonFrom<{ id: string }[]>(later, "list");
    const thread = await jsonFrom<{ messages: { content: string; status: string }[] }>(
      later,
      "show",
      conversation?.id ?? "",
    );
    expect(thread.messages.at(-1)).toMatchObject({ status: "stopped", content: session.output().trimEnd() + " " });
  });

  test("still prints the JSON of a partial answer", async () => {
    const session = commandSession({ folder: temporaryFolder(), isTerminal: true });
    const run = session.run("chat", "--json", "/hold");
    await session.sees("Reading the prompt");
    session.stop("SIGTERM");
    expect(await run).toBe(143);
    expect(JSON.parse(session.output())).toMatchObject({ text: "", report: { stopReason: "stopped" } });
  });

  test("by a reader that has gone is quiet", async () => {
    const session = commandSession({ folder: temporaryFolder() });
    const run = session.run("chat", "/count 10000 5");
    await session.sees("3 ");
    session.stop("output-closed");
    expect(await run).toBe(0);
    expect(session.errors()).toBe("");
  });

  test("before anything is sent begins nothing", async () => {
    const session = commandSession({ folder: temporaryFolder() });
    session.stop("SIGINT");
    expect(await session.run("chat", "Hi")).toBe(130);
    expect(session.errors()).toMatch(/^reprise: Stopped [^\n]+\n$/);
  });
});

test("progress shows at a terminal, and is gone from the line in the end", async () => {
  const session = commandSession({ folder: temporaryFolder(), isTerminal: true });
  await session.run("chat", "Hi");
  const [, ...shown] = session.errors().split("Starting the engine");
  expect(shown).not.toEqual([]);
  expect(stripVTControlCharacters(session.errors().split("\r\u001b[K").at(-1) ?? "")).toMatch(/^conversation .*\n$/);
});

test("listing and showing start no engine, and deleting one only where something is stored", async () => {
  const folder = temporaryFolder();
  const { conversationId } = await jsonFrom<PrintedAnswer>(commandSession({ folder }), "chat", "Hi");
  const session = commandSession({ folder });
  for (const words of [["list"], ["show", conversationId]]) expect(await session.run(...words)).toBe(0);
  expect(session.enginesLaunched()).toBe(0);
  expect(await session.run("delete", conversationId)).toBe(0);
  expect(session.enginesLaunched()).toBe(1);
});
