import { fileURLToPath } from "node:url";
import { DefaultModel } from "../../src-main/models/default-model.ts";

const folderInRepository = fileURLToPath(new URL("../../.reprise/models", import.meta.url));

/**
 * The real default model, fetched as the app fetches it the first time somebody asks, by whichever test worker comes
 * first. Its folder can be given to an app under test as REPRISE_MODELS.
 */
export async function defaultModelPath(): Promise<string> {
  const folder = process.env["REPRISE_MODELS"];
  const model = new DefaultModel(folder === undefined || folder === "" ? folderInRepository : folder);
  await model.fetch(() => undefined, AbortSignal.timeout(600_000));
  return model.path;
}
