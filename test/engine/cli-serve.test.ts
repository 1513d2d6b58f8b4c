/** `reprise serve` as a process, and the command line that finds it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type Cli,
  type CliAnswer,
  jsonFromCli,
  oneLineOfError,
  runCli,
  startCli,
  tinyModelAndData,
} from "../helpers/start-cli.ts";
import { temporaryFolder } from "../helpers/temporary-folder.ts";

interface Address {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
}

async function serving(dataFolder: string): Promise<{ cli: Cli; address: Address }> {
  const cli = startCli(["serve", "--json"], { dataFolder });
  await cli.prints("\n");
  return { cli, address: JSON.parse(cli.output()) as Address };
}

describe.skipIf(process.platform === "win32")("serve", () => {
  test("answers for the command line with one engine, and ends cleanly", async () => {
    const { dataFolder, model } = await tinyModelAndData();
    const { cli, address } = await serving(dataFolder);
    expect(address.pid).toBe(cli.process.pid);
    const words = ["--model", model, "--max-tokens", "12", "One"];
    const first = await jsonFromCli<CliAnswer>(dataFolder, "chat", ...words);
    const second = await jsonFromCli<CliAnswer>(dataFolder, "chat", "--conversation", first.conversationId, "Two");
    expect(first.report.fromResident).toBe(0);
    // Only an engine that stayed has the first turn in place.
    expect(second.report.fromResident).toBeGreaterThan(first.report.promptTokens);
    cli.process.kill("SIGTERM");
    expect((await cli.ended).code).toBe(0);
    expect(existsSync(join(dataFolder, "instance.json"))).toBe(false);
    await cli.groupEnded();
  });

  test("refuses a second one on the same folder, with the address of the first", async () => {
    const dataFolder = temporaryFolder();
    const { cli, address } = await serving(dataFolder);
    const second = await runCli(["serve"], { dataFolder });
    expect(second).toMatchObject({ code: 1, output: "" });
    expect(second.errors).toMatch(oneLineOfError);
    expect(second.errors).toContain(address.url);
    cli.process.kill("SIGINT");
    expect((await cli.ended).code).toBe(0);
  });

  test("takes over from one that was killed", async () => {
    const dataFolder = temporaryFolder();
    const { cli } = await serving(dataFolder);
    cli.process.kill("SIGKILL");
    await cli.ended;
    expect(existsSync(join(dataFolder, "instance.json"))).toBe(true);
    expect(await jsonFromCli(dataFolder, "list")).toEqual([]);
  });

  test("that is killed under a client is told there in one line", async () => {
    const { dataFolder, model } = await tinyModelAndData();
    const { cli } = await serving(dataFolder);
    const client = startCli(["chat", "--model", model, "Hello"], { dataFolder });
    await client.prints(100);
    cli.process.kill("SIGKILL");
    const end = await client.ended;
    expect(end.code).toBe(1);
    expect(end.errors).toMatch(/^reprise: The connection [^\n]+\n$/);
  });

  test("is what npm start does where there is no display, and it says so", async () => {
    const environment = { DISPLAY: undefined, WAYLAND_DISPLAY: undefined };
    const cli = startCli([], { dataFolder: temporaryFolder(), program: "start", environment });
    await cli.prints("#token=");
    expect(cli.output()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+\n$/);
    cli.process.kill("SIGTERM");
    const end = await cli.ended;
    expect(end.code).toBe(0);
    expect(end.errors).toMatch(/^There is no display here, so Reprise is served to a browser instead:\n/);
    await cli.groupEnded();
  });
});
