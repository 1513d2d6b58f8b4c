/** What a person waiting for an answer wants to know, in a few words; `null` while there is nothing to wait for. */
import type { Generation } from "../contract/app-contract.ts";
import type { AppStatus } from "../contract/app-status.ts";
import type { ModelDownload } from "../contract/hub.ts";
import { formatSize, oneLine } from "./text-format.ts";

const percent = (fraction: number) => `${Math.floor(fraction * 100)} %`;

export function describeStatus({ fetch, engine }: Pick<AppStatus, "fetch" | "engine">): string | null {
  if (fetch.state === "fetching") {
    const { receivedBytes, totalBytes, secondsLeft } = fetch;
    return `Fetching the default model: ${formatSize(receivedBytes)} of ${formatSize(totalBytes)}${timeLeft(secondsLeft)}`;
  }
  if (fetch.state === "verifying") return "Checking the default model";
  if (engine.state === "starting") return "Starting the engine";
  if (engine.state === "loading") return `Loading ${oneLine(engine.modelName)}: ${percent(engine.fraction)}`;
  return null;
}

export function describeDownload(download: ModelDownload): string | null {
  const { state, level, doneBytes, totalBytes, bytesPerSecond, secondsLeft } = download;
  const what = oneLine(`${download.repository} ${level}`);
  const amount = `${formatSize(doneBytes)} of ${formatSize(totalBytes)}`;
  switch (state) {
    case "queued":
      return `Waiting for another download: ${what}`;
    case "running": {
      const speed = bytesPerSecond === null ? "" : `, ${formatSize(bytesPerSecond)}/s`;
      return `Fetching ${what}: ${amount}${speed}${timeLeft(secondsLeft)}`;
    }
    case "paused":
      return `Paused at ${amount}: ${what}`;
    case "verifying":
      return `Checking ${what}`;
    case "failed":
      return null;
  }
}

function timeLeft(seconds: number | null): string {
  if (seconds === null) return "";
  return seconds < 100 ? `, ${Math.ceil(seconds)} s left` : `, ${Math.ceil(seconds / 60)} min left`;
}

export function describePhase({ phase }: Generation): string | null {
  switch (phase.name) {
    case "queued":
      return "Waiting for the engine";
    case "prefill":
      return phase.totalTokens === 0 ? null : `Reading the prompt: ${percent(phase.doneTokens / phase.totalTokens)}`;
    case "decode":
      return null;
  }
}
