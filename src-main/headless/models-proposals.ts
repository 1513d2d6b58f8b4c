/** `reprise models proposals`: which models of the catalogue suit this machine. */
import type { CatalogueEntry } from "../contract/hub.ts";
import type { ModelForecast, Proposal, Proposals } from "../contract/proposals.ts";
import type { CommandHost } from "./command-host.ts";
import { connect } from "./connect.ts";
import type { CommonOptions } from "./invocation.ts";
import { modelsSubcommand } from "./models-subcommand.ts";
import { unlessStopped } from "./stop.ts";
import { print, printJson } from "./terminal.ts";
import { formatSize } from "./text-format.ts";

/** JSON: the proposals as the contract has them. */
export const proposeModels = modelsSubcommand<CommonOptions>({
  grammar: "proposals",
  description: "name the models of the catalogue that suit this machine; nothing is asked of the network",
  read: (options) => options,
  run: propose,
});

async function propose({ json, folders }: CommonOptions, host: CommandHost): Promise<void> {
  await using app = await connect(host, folders, { isShared: false });
  const { models } = app.client;
  const asked = Promise.all([models.proposals(), models.catalogue()]);
  const [found, entries] = await unlessStopped(host.stop, "Stopped.", asked);
  if (json) printJson(host.terminal, found);
  else print(host.terminal, `${renderProposals(found, entries)}\n`);
}

const reasons: Readonly<Record<Proposal["reason"], string>> = {
  strongest: "the strongest that fits",
  balanced: "takes clearly less",
  quickest: "the quickest",
};

export function renderProposals(
  { machine, measured, proposals, forecasts }: Proposals,
  entries: readonly CatalogueEntry[],
): string {
  const lines = proposals.flatMap(({ catalogueId, reason }) => {
    const entry = entries.find(({ id }) => id === catalogueId);
    const forecast = forecasts.find((each) => each.catalogueId === catalogueId);
    return entry === undefined || forecast === undefined ? [] : [proposalLine(entry, forecast, reasons[reason])];
  });
  const free = `${formatSize(machine.freeBytes)} of memory are free, ${formatSize(machine.reserveBytes)} of them stay so.`;
  const speed =
    measured === null
      ? "No speed is known before a model has been loaded once."
      : `Speeds are reckoned from ${measured.modelName}, measured here at ${measured.decodeTokensPerSecond.toFixed(1)} tokens/s.`;
  const nothing = "Nothing of the catalogue suits this machine better than what is here.";
  return [...(lines.length === 0 ? [nothing] : lines), `All of it is estimated. ${free} ${speed}`].join("\n");
}

function proposalLine({ id, name }: CatalogueEntry, forecast: ModelForecast, reason: string): string {
  const { level, sizeBytes, memoryBytes, decodeTokensPerSecond: rate } = forecast;
  const speed = rate === null ? "" : `, about ${rate.toFixed(rate < 10 ? 1 : 0)} tokens/s`;
  return `${id}: ${name} ${level}, about ${formatSize(sizeBytes)}, ${formatSize(memoryBytes)} of memory${speed} (${reason})`;
}
