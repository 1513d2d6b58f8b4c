import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { FolderWatch } from "../../../src-main/models/watched/folder-watch.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

/** A watch that tells at once, and how often it told. */
function watchOf(folders: readonly string[]) {
  const onChanged = vi.fn();
  const watched = [...folders];
  const watch = new FolderWatch({ folders: () => watched, onChanged, quietMs: 0 });
  onTestFinished(() => {
    watch.close();
  });
  const told = async () => {
    await vi.waitFor(() => {
      expect(onChanged).toHaveBeenCalled();
    });
    onChanged.mockClear();
  };
  return { watch, watched, onChanged, told };
}

/** Another folder is changed and told of, so that what was to be told before has been. */
async function otherwiseChanged(): Promise<void> {
  const folder = temporaryFolder();
  const { watch, told } = watchOf([folder]);
  watch.begin();
  writeFileSync(join(folder, "other.gguf"), "GGUF");
  await told();
}

test("a model that comes, changes its name or goes is told of, also in a folder below", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "below"));
  const { watch, told } = watchOf([folder]);
  watch.begin();
  writeFileSync(join(folder, "a.gguf"), "GGUF");
  await told();
  renameSync(join(folder, "a.gguf"), join(folder, "below", "b.gguf"));
  await told();
  rmSync(join(folder, "below", "b.gguf"));
  await told();
});

test("a download that arrives is told of when it is whole, and not before", async () => {
  const folder = temporaryFolder();
  const { watch, onChanged, told } = watchOf([folder]);
  watch.begin();
  writeFileSync(join(folder, "a.gguf.part"), "GG");
  writeFileSync(join(folder, "a.gguf.part.json"), "{}");
  await otherwiseChanged();
  expect(onChanged).not.toHaveBeenCalled();
  renameSync(join(folder, "a.gguf.part"), join(folder, "a.gguf"));
  await told();
});

test("before somebody looks nothing is watched; other folders are from when they are named", async () => {
  const [first, second] = [temporaryFolder(), temporaryFolder()];
  const { watch, watched, onChanged, told } = watchOf([first]);
  watch.update();
  watch.begin();
  watched.splice(0, 1, second);
  watch.update();
  writeFileSync(join(first, "a.gguf"), "GGUF");
  await otherwiseChanged();
  expect(onChanged).not.toHaveBeenCalled();
  writeFileSync(join(second, "b.gguf"), "GGUF");
  await told();
});

test("a folder that is not there is no trouble, and is watched once it is", async () => {
  const folder = join(temporaryFolder(), "later");
  const { watch, told } = watchOf([folder]);
  watch.begin();
  mkdirSync(folder);
  watch.update();
  writeFileSync(join(folder, "a.gguf"), "GGUF");
  await told();
});
