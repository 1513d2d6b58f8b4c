/** `reprise models get`: brings a model of the hub into the models folder. */
import type { AppClient } from "../contract/app-contract.ts";
import type { ArrivedModel, ModelDownload } from "../contract/hub.ts";
import type { CommandHost } from "./command-host.ts";
import { connect } from "./connect.ts";
import type { CommonOptions } from "./invocation.ts";
import { modelsSubcommand } from "./models-subcommand.ts";
import { describeDownload } from "./progress-text.ts";
import { Stopped, type StopCause, unlessStopped } from "./stop.ts";
import { print, printJson, ProgressLine, remark } from "./terminal.ts";
import { formatSize } from "./text-format.ts";

interface GetOptions extends CommonOptions {
  /** An id of the catalogue, or a repository of the hub. */
  readonly name: string;
  /** `null`: the level that the repository's files suggest. */
  readonly level: string | null;
}

export const getModel = modelsSubcommand<GetOptions, { level?: string }>({
  grammar: "get <name>",
  description: "fetch a model: a name of the catalogue, owner/repository of the model hub, or owner/repository:LEVEL",
  configure: (command) => {
    command.option("-l, --level <level>", "the quantization level; Q4_K_M or the nearest to it where none is named");
  },
  read: (options, [text = ""], values) => {
    const [, name = text, level = null] = /^(.+):([^:/]+)$/.exec(text) ?? [];
    return { ...options, name, level: values.level ?? level };
  },
  run: get,
});

/** JSON: `{path, bytes, sha256, repository, revision, level}`. What arrives stays when it is stopped. */
async function get(options: GetOptions, host: CommandHost): Promise<void> {
  const { name, level, json } = options;
  const { terminal, stop } = host;
  await using app = await connect(host, options.folders, { isShared: false });
  const request = { repository: name, ...(level !== null && { level }) };
  const download = await unlessStopped(stop, "Stopped before anything was fetched.", app.client.models.get(request));
  if (level === null) {
    remark(
      terminal,
      `${download.level} (${formatSize(download.totalBytes)}) suits most machines; --level names another.`,
    );
  }
  const arrived = await arrival(app.client, download, host);
  if (json) printJson(terminal, arrived);
  else print(terminal, `${arrived.repository} ${arrived.level} (${formatSize(arrived.bytes)}): ${arrived.path}\n`);
}

/** Shows how far it is meanwhile. Throws why it failed, and Stopped with what is kept. */
async function arrival(
  client: AppClient,
  download: ModelDownload,
  { terminal, stop }: CommandHost,
): Promise<ArrivedModel> {
  const { id: downloadId } = download;
  const line = new ProgressLine(terminal);
  const over = new AbortController();
  void showProgress(client, downloadId, line, over.signal);
  try {
    return await unlessStopped(stop, "", client.models.awaitDownload({ downloadId }));
  } catch (caught) {
    if (!(caught instanceof Stopped)) throw caught;
    const kept = await client.models.pauseDownload({ downloadId }).catch(() => download);
    throw new Stopped(stop.reason as StopCause, stoppedSentence(kept));
  } finally {
    over.abort();
    line.clear();
  }
}

async function showProgress(client: AppClient, id: string, line: ProgressLine, over: AbortSignal): Promise<void> {
  try {
    for await (const downloads of await client.models.downloads(undefined, { signal: over })) {
      const download = downloads.find((one) => one.id === id);
      if (over.aborted) return;
      if (download !== undefined) line.show(describeDownload(download));
    }
  } catch {
    // Ended by `over`, or the connection is lost: then the waiting fails too, and that is where it is told.
    return;
  }
}

function stoppedSentence({ repository, level, doneBytes, totalBytes }: ModelDownload): string {
  const kept = `${formatSize(doneBytes)} of ${formatSize(totalBytes)} are kept`;
  return `Stopped. ${kept}; to go on: reprise models get ${repository} --level ${level}`;
}
