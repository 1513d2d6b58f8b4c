import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { readInstance } from "../../../src-main/loopback/instance-file.ts";
import { commandSession, type CommandSession } from "../../helpers/command-session.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

// Processes start and end in these tests.
vi.setConfig({ testTimeout: 60_000 });

async function serving(
  folder: string,
  ...words: string[]
): Promise<{ session: CommandSession; ended: Promise<number> }> {
  const session = commandSession({ folder });
  const ended = session.run("serve", ...words);
  await session.sees("#token=");
  return { session, ended };
}

describe("serving", () => {
  test("prints one line with the address and token, and ends cleanly when asked", async () => {
    const folder = temporaryFolder();
    const { session, ended } = await serving(folder);
    const instance = readInstance(join(folder, "data"));
    expect(session.output()).toBe(`${instance?.url ?? ""}/#token=${instance?.token ?? ""}\n`);
    session.stop("SIGTERM");
    expect(await ended).toBe(0);
    expect(existsSync(join(folder, "data", "instance.json"))).toBe(false);
  });

  test("prints one JSON document where asked to", async () => {
    const { session, ended } = await serving(temporaryFolder(), "--json");
    const { url, port, pid } = JSON.parse(session.output()) as { url: string; port: number; pid: number };
    expect(url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/#token=[\\w-]{43}$`));
    expect(pid).toBe(process.pid);
    session.stop("SIGINT");
    expect(await ended).toBe(0);
  });

  test("says that the pages are missing where they were not built", async () => {
    const { session, ended } = await serving(temporaryFolder());
    expect(session.errors()).toMatch(/^reprise: The pages are not built[^\n]*\n$/);
    session.stop("SIGINT");
    await ended;
  });

  test("a second time on the same folder names the first one's address", async () => {
    const folder = temporaryFolder();
    const { session, ended } = await serving(folder);
    const second = commandSession({ folder });
    expect(await second.run("serve")).toBe(1);
    expect(second.output()).toBe("");
    expect(second.errors()).toMatch(/^reprise: Reprise is already running [^\n]+\n$/);
    expect(second.errors()).toContain(session.output().trim());
    session.stop("SIGINT");
    await ended;
  });

  test("on a port in use is refused, and leaves the folder free", async () => {
    const { session, ended } = await serving(temporaryFolder());
    const port = new URL(session.output()).port;
    const folder = temporaryFolder();
    const second = commandSession({ folder });
    expect(await second.run("serve", "--port", port)).toBe(1);
    expect(second.errors()).toContain(`Port ${port} cannot be used`);
    expect(await commandSession({ folder }).run("list")).toBe(0);
    session.stop("SIGINT");
    await ended;
  });
});

describe("a running app", () => {
  test("answers for the command line, also to several at once", async () => {
    const folder = temporaryFolder();
    const { session, ended } = await serving(folder);
    const clients = [commandSession({ folder }), commandSession({ folder })];
    expect(await Promise.all(clients.map((client) => client.run("chat", "Hi")))).toEqual([0, 0]);
    expect(clients.map((client) => client.output())).toEqual(["You said: Hi\n", "You said: Hi\n"]);
    session.stop("SIGINT");
    await ended;
  });

  test("that ends in the middle of an answer is told in one line", async () => {
    const folder = temporaryFolder();
    const { session, ended } = await serving(folder);
    const client = commandSession({ folder });
    const run = client.run("chat", "/count 10000 5");
    await client.sees("3 ");
    session.stop("SIGINT");
    expect(await run).toBe(1);
    expect(client.errors()).toMatch(/^reprise: [^\n]+\n$/);
    expect(await ended).toBe(0);
  });
});
