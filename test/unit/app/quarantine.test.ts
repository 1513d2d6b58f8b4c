import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AppClient } from "../../../src-main/contract/app-contract.ts";
import { collect } from "../../helpers/collect.ts";
import { ask, openTestApp, until, writeModel } from "../../helpers/open-test-app.ts";

async function named(client: AppClient, name: string) {
  const model = (await client.models.list()).find((one) => one.path.endsWith(`${name}.gguf`));
  if (model === undefined) throw new Error(`There is no model ${name}.`);
  return model;
}

/** The list as it is once a file's problem is the wanted one. */
async function untilProblem(client: AppClient, name: string, code: string | null) {
  await until(await client.models.watch(), (models) =>
    models.some((model) => model.path.endsWith(`${name}.gguf`) && (model.problem?.code ?? null) === code),
  );
}

test("a file that brings the engine down while it loads is not loaded again, and the list says why", async () => {
  const { client, modelsFolder, launched } = await openTestApp();
  writeModel(modelsFolder, "crash.gguf");
  const { id } = await named(client, "crash");
  await expect(client.models.load({ modelId: id })).rejects.toMatchObject({ code: "ENGINE_CRASHED" });
  await untilProblem(client, "crash", "MODEL_QUARANTINED");
  const crashes = launched.length;
  await expect(client.models.load({ modelId: id })).rejects.toMatchObject({
    code: "MODEL_QUARANTINED",
    data: { path: join(modelsFolder, "crash.gguf"), cause: expect.stringContaining("GGML_ASSERT(echo)") as string },
    message: expect.stringContaining("retry it from the list of models") as string,
  });
  const conversation = await client.conversations.create({ modelId: id });
  expect(await ask(client, "hello", conversation.id)).toMatchObject({ error: { code: "MODEL_QUARANTINED" } });
  expect((await ask(client, "hello")).status).toBe("complete");
  expect(launched.length).toBeLessThanOrEqual(crashes + 1);
});

test("it stays so over a restart, until the user retries", async () => {
  const first = await openTestApp();
  const { dataFolder, modelsFolder } = first;
  writeModel(modelsFolder, "crash.gguf");
  await first.client.models.load({ modelId: (await named(first.client, "crash")).id }).catch(() => undefined);
  await first.close();
  const { client } = await openTestApp({ dataFolder });
  await untilProblem(client, "crash", "MODEL_QUARANTINED");
  const { id } = await named(client, "crash");
  await expect(client.models.load({ modelId: id, retry: true })).rejects.toMatchObject({ code: "ENGINE_CRASHED" });
  await untilProblem(client, "crash", "MODEL_QUARANTINED");
});

test("another file under the same name is another file", async () => {
  const { client, modelsFolder } = await openTestApp();
  const path = writeModel(modelsFolder, "crash.gguf");
  const { id } = await named(client, "crash");
  await client.models.load({ modelId: id }).catch(() => undefined);
  await untilProblem(client, "crash", "MODEL_QUARANTINED");
  writeFileSync(path, "GGUF of another kind");
  await untilProblem(client, "crash", null);
  await expect(client.models.load({ modelId: id })).rejects.toMatchObject({ code: "ENGINE_CRASHED" });
});

test("a file whose answers bring the engine down twice in a row is not loaded again; a whole one between them counts", async () => {
  const { client } = await openTestApp();
  const { id: modelId } = await named(client, "echo");
  expect(await ask(client, "/crash 1")).toMatchObject({ error: { code: "ENGINE_CRASHED" } });
  expect(await ask(client, "hello")).toMatchObject({ status: "complete" });
  expect(await ask(client, "/crash 1")).toMatchObject({ error: { code: "ENGINE_CRASHED" } });
  expect((await named(client, "echo")).problem).toBeNull();
  expect(await ask(client, "/crash 1")).toMatchObject({ error: { code: "ENGINE_CRASHED" } });
  expect(await ask(client, "hello")).toMatchObject({ error: { code: "MODEL_QUARANTINED" } });
  await client.models.load({ modelId, retry: true });
  expect(await ask(client, "hello")).toMatchObject({ status: "complete" });
});

test("loading it between two such answers says nothing for it, and a comparison nothing against it", async () => {
  const { client, modelsFolder } = await openTestApp();
  writeModel(modelsFolder, "other.gguf");
  const [{ id: modelId }, { id: otherId }] = [await named(client, "echo"), await named(client, "other")];
  const { conversationId } = await ask(client, "/crash 1");
  const compared = await client.models.compare({ conversationId, text: "/crash 1", modelIds: [modelId, otherId] });
  await expect(collect(compared)).rejects.toMatchObject({ code: "ENGINE_CRASHED" });
  expect((await named(client, "echo")).problem).toBeNull();
  await client.models.load({ modelId });
  await ask(client, "/crash 1");
  expect(await ask(client, "hello")).toMatchObject({ error: { code: "MODEL_QUARANTINED" } });
});

test("a model that does not load for another reason is tried again", async () => {
  const { client, modelsFolder } = await openTestApp();
  writeModel(modelsFolder, "fails.gguf");
  const { id } = await named(client, "fails");
  const again = () => client.models.load({ modelId: id });
  await expect(again()).rejects.toMatchObject({ code: "ENGINE_FAILED" });
  await expect(again()).rejects.toMatchObject({ code: "ENGINE_FAILED" });
});
