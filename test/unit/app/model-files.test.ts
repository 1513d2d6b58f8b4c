import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTestApp, writeModel } from "../../helpers/open-test-app.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

test("a file that is on no list is looked into, checked and planned for by the engine", async () => {
  const { client } = await openTestApp();
  const path = writeModel(temporaryFolder(), "mine.gguf");
  expect(await client.models.inspect({ path })).toMatchObject({ path, kind: "model", files: [{ path, sizeBytes: 4 }] });
  expect(await client.models.check({ path })).toEqual({ ok: true, problems: [] });
  expect(await client.models.plan({ path, users: 4, contextTokens: 100, budgetBytes: 804 })).toMatchObject({
    weightsBytes: 4,
    cacheBytes: 400,
    maxTokens: 800,
    maxTokensPerUser: 200,
    missingBytes: 0,
  });
});

test("what is wrong with a file is the answer of a check, and an error of the others", async () => {
  const { client } = await openTestApp();
  const path = join(temporaryFolder(), "letter.gguf");
  await expect(client.models.check({ path })).rejects.toMatchObject({ code: "MODEL_MISSING" });
  writeFileSync(path, "Dear Sir or Madam");
  expect(await client.models.check({ path })).toMatchObject({ ok: false, problems: [expect.any(String)] });
  await expect(client.models.inspect({ path })).rejects.toMatchObject({ code: "MODEL_INVALID" });
  await expect(client.models.plan({ path })).rejects.toMatchObject({ code: "MODEL_INVALID" });
});
