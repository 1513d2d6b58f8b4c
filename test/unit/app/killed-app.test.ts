import { join } from "node:path";
import { expect, test } from "vitest";
import { startScript } from "../../helpers/child-script.ts";
import { writeModel } from "../../helpers/open-test-app.ts";
import { openTestStore } from "../../helpers/open-test-store.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

interface Told {
  readonly text: string;
  readonly atMs: number;
}

test("kill -9 of the app while it answers loses at most the last second of the answer, and nothing else", async () => {
  const folder = temporaryFolder();
  writeModel(join(folder, "models"), "echo.gguf");
  const app = startScript(new URL("../../helpers/streaming-app.ts", import.meta.url), folder);
  const ids = JSON.parse(await app.line()) as { messageId: string; userMessageId: string };
  const told: Told[] = [];
  const elapsedMs = () => Number(told.at(-1)?.atMs) - Number(told[0]?.atMs);
  while (told.length < 2 || elapsedMs() < 2_300) told.push(JSON.parse(await app.line()) as Told);
  const rest = await app.kill();
  told.push(...rest.map((line) => JSON.parse(line) as Told));

  const lastMs = Number(told.at(-1)?.atMs);
  const olderThanASecond = told.filter(({ atMs }) => atMs < lastMs - 1_000);
  const { messages, notices } = openTestStore(folder);
  expect(notices).toEqual([]);
  expect(messages.get(ids.userMessageId)).toMatchObject({ status: "complete", content: "/count 1000000 1" });
  const answer = messages.get(ids.messageId);
  expect(answer.status).toBe("stopped");
  expect(olderThanASecond.length).toBeGreaterThan(0);
  expect(answer.content.startsWith(olderThanASecond.map(({ text }) => text).join(""))).toBe(true);
});
