/** What becomes of an answer, and of the engine, when the command line is ended from outside. */
import { describe, expect, test } from "vitest";
import type { Message, Thread } from "../../src-main/contract/conversation.ts";
import { type Cli, jsonFromCli, oneLineOfError, startCli, tinyModelAndData } from "../helpers/start-cli.ts";

/** The tiny model answers until it is stopped or its context is full. */
async function answering(): Promise<{ cli: Cli; dataFolder: string }> {
  const { dataFolder, model } = await tinyModelAndData();
  const cli = startCli(["chat", "--model", model, "--seed", "1", "Hello"], { dataFolder });
  await cli.prints(100);
  return { cli, dataFolder };
}

async function onlyAnswer(dataFolder: string): Promise<Message | undefined> {
  const [{ id }] = await jsonFromCli<[{ id: string }]>(dataFolder, "list");
  return (await jsonFromCli<Thread>(dataFolder, "show", id)).messages.at(-1);
}

describe.skipIf(process.platform === "win32")("an end from outside", () => {
  test("by Ctrl+C, as a terminal and npm send it, keeps the partial answer", async () => {
    const { cli, dataFolder } = await answering();
    cli.signalGroup("SIGINT");
    cli.process.kill("SIGINT");
    const end = await cli.ended;
    expect(end.code).toBe(130);
    expect(end.errors).toMatch(oneLineOfError);
    const answer = await onlyAnswer(dataFolder);
    expect(answer).toMatchObject({ status: "stopped", report: { stopReason: "stopped" } });
    expect(end.output.trimEnd()).toBe(answer?.content.trimEnd());
    await cli.groupEnded();
  });

  test("by a reader that had enough is quiet, and leaves no engine", async () => {
    const { cli, dataFolder } = await answering();
    cli.process.stdout?.destroy();
    expect(await cli.ended).toMatchObject({ code: 0, errors: "" });
    expect((await onlyAnswer(dataFolder))?.status).toBe("stopped");
    await cli.groupEnded();
  });

  test("by kill -9 leaves no engine, and the answer up to about then", async () => {
    const { cli, dataFolder } = await answering();
    cli.process.kill("SIGKILL");
    expect(await cli.ended).toMatchObject({ code: null, signal: "SIGKILL" });
    await cli.groupEnded();
    expect(await onlyAnswer(dataFolder)).toMatchObject({ role: "assistant", status: "stopped" });
  });
});
