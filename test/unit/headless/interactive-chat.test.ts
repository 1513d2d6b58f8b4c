import { describe, expect, test, vi } from "vitest";
import { commandSession, type CommandSession } from "../../helpers/command-session.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

// Processes start and end in these tests.
vi.setConfig({ testTimeout: 60_000 });

const controlC = "\u0003";
const controlD = "\u0004";

/** A person at a terminal in front of the first prompt. */
async function atThePrompt(
  folder: string,
  ...words: string[]
): Promise<{ session: CommandSession; left: Promise<number> }> {
  const session = commandSession({ folder, isTerminal: true });
  const left = session.run("chat", ...words);
  await session.sees("> ");
  return { session, left };
}

async function conversationCount(folder: string): Promise<number> {
  const session = commandSession({ folder });
  await session.run("list", "--json");
  return (JSON.parse(session.output()) as unknown[]).length;
}

describe("an interactive chat", () => {
  test("answers line by line in one conversation, and tells what each answer cost", async () => {
    const { session, left } = await atThePrompt(temporaryFolder());
    session.type("One\r");
    await session.sees("You said: One\n");
    await session.sees("3 tokens, 77.5 tokens/s");
    session.type("//prompt\r");
    await session.sees('"content":"/prompt"');
    expect(session.output()).toContain('"content":"You said: One"');
    session.type("/quit\r");
    expect(await left).toBe(0);
  });

  test("puts answers alone on standard output", async () => {
    const { session, left } = await atThePrompt(temporaryFolder());
    session.type("/help\rOne\r/quit\r");
    expect(await left).toBe(0);
    expect(session.output()).toBe("You said: One\n");
    expect(session.errors()).toContain("/new");
  });

  test("begins anew on /new", async () => {
    const folder = temporaryFolder();
    const { session, left } = await atThePrompt(folder);
    session.type("One\r/new\r//prompt\r/quit\r");
    expect(await left).toBe(0);
    expect(session.output()).not.toContain('"content":"One"');
    expect(await conversationCount(folder)).toBe(2);
  });

  test("leaves nothing behind where nothing was asked", async () => {
    const folder = temporaryFolder();
    const { session, left } = await atThePrompt(folder);
    session.type(controlD);
    expect(await left).toBe(0);
    expect(await conversationCount(folder)).toBe(0);
  });

  test("says what it does not understand, and goes on", async () => {
    const { session, left } = await atThePrompt(temporaryFolder());
    session.type("/quiet\r\r//fail\rOne\r/quit\r");
    expect(await left).toBe(0);
    expect(session.errors()).toContain("There is no command /quiet; /help lists them.");
    expect(session.errors()).toContain("reprise: ");
    // The failed answer had no text, so the prompt holds both questions.
    expect(session.output()).toBe("You said: /fail\n\nOne\n");
  });

  test("says what is wrong with its options before the first prompt", async () => {
    const session = commandSession({ folder: temporaryFolder(), isTerminal: true });
    expect(await session.run("chat", "--conversation", "zzz")).toBe(1);
    expect(session.errors()).toContain("There is no conversation");
    expect(await session.run("chat", "--json")).toBe(1);
    expect(session.errors()).toContain("--json needs a message");
  });
});

describe("Ctrl+C", () => {
  test("stops the answer, and the chat goes on", async () => {
    const { session, left } = await atThePrompt(temporaryFolder());
    session.type("//count 10000 5\r");
    await session.sees("3 ");
    session.type(controlC);
    await session.sees("stopped");
    session.type("One\r/quit\r");
    expect(await left).toBe(0);
    expect(session.output()).toContain("You said: One");
  });

  test("a second time leaves", async () => {
    const { session, left } = await atThePrompt(temporaryFolder());
    session.type("//count 10000 5\r");
    await session.sees("3 ");
    session.type(controlC);
    await session.sees("stopped");
    session.type(controlC);
    expect(await left).toBe(0);
  });

  test("a second time leaves also while the answer will not end", async () => {
    const { session, left } = await atThePrompt(temporaryFolder());
    session.type("//deaf 3\r");
    await session.sees("3 ");
    session.type(controlC);
    session.type(controlC);
    expect(await left).toBe(0);
  });

  test("leaves where nothing is being answered", async () => {
    const { session, left } = await atThePrompt(temporaryFolder());
    session.type(controlC);
    expect(await left).toBe(0);
  });
});

test("a signal ends the chat and keeps what was written", async () => {
  const folder = temporaryFolder();
  const { session, left } = await atThePrompt(folder);
  session.type("//count 10000 5\r");
  await session.sees("3 ");
  session.stop("SIGTERM");
  expect(await left).toBe(143);
  expect(await conversationCount(folder)).toBe(1);
});

test("another command finds the chat and uses its app", async () => {
  const folder = temporaryFolder();
  const { session, left } = await atThePrompt(folder);
  session.type("One\r");
  await session.sees("You said: One\n");
  expect(await conversationCount(folder)).toBe(1);
  session.type("/quit\r");
  expect(await left).toBe(0);
});
