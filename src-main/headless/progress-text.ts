/** What a person waiting for an answer wants to know, in a few words; `null` while there is nothing to wait for. */
import type { Generation } from "../contract/app-contract.ts";
import type { AppStatus } from "../contract/app-status.ts";
import { formatSize, oneLine } from "./text-format.ts";

const percent = (fraction: number) => `${Math.floor(fraction * 100)} %`;

export function describeStatus({ fetch, engine }: Pick<AppStatus, "fetch" | "engine">): string | null {
  if (fetch.state === "fetching") {
    const { receivedBytes, totalBytes, secondsLeft } = fetch;
    const left = secondsLeft === null ? "" : `, ${Math.ceil(secondsLeft)} s left`;
    return `Fetching the default model: ${formatSize(receivedBytes)} of ${formatSize(totalBytes)}${left}`;
  }
  if (fetch.state === "verifying") return "Checking the default model";
  if (engine.state === "starting") return "Starting the engine";
  if (engine.state === "loading") return `Loading ${oneLine(engine.modelName)}: ${percent(engine.fraction)}`;
  return null;
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
