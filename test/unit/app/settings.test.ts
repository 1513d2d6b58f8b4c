import { expect, test } from "vitest";
import { openTestApp, until } from "../../helpers/open-test-app.ts";

test("a changed setting is seen by everybody who watches, and is there after a restart", async () => {
  const { client, dataFolder, close } = await openTestApp();
  const [one, other] = [await client.settings.watch(), await client.settings.watch()];
  expect((await until(one, () => true)).theme).toBe("system");
  await other.next();
  expect(await client.settings.update({ theme: "dark" })).toMatchObject({ theme: "dark", locale: "system" });
  expect((await until(one, () => true)).theme).toBe("dark");
  expect((await until(other, () => true)).theme).toBe("dark");
  await close();
  const again = await openTestApp({ dataFolder });
  expect((await again.client.settings.get()).theme).toBe("dark");
});

test("a setting of the wrong kind is refused", async () => {
  const { client } = await openTestApp();
  const patch = { theme: "pink" } as never;
  await expect(client.settings.update(patch)).rejects.toMatchObject({ code: "INVALID_INPUT" });
});
