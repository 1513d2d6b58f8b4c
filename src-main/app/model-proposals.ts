/** What the catalogue's models would be on this machine, and which are proposed. Asks nobody outside the machine. */
import { join, sep } from "node:path";
import type { CatalogueEntry } from "../contract/hub.ts";
import type { MachineMemory } from "../contract/machine-fit.ts";
import type { ModelFile } from "../contract/model.ts";
import type { Proposals, SpeedMeasurement } from "../contract/proposals.ts";
import { stampFile } from "./file-stamp.ts";
import { foreseeModel, machineSpeed } from "./foresee-model.ts";
import type { ModelSpeeds } from "./model-speeds.ts";
import { proposeModels } from "./propose-models.ts";

interface Dependencies {
  readonly catalogue: () => Promise<readonly CatalogueEntry[]>;
  readonly files: () => Promise<readonly ModelFile[]>;
  readonly speeds: Pick<ModelSpeeds, "of">;
  readonly modelsFolder: string;
  readonly memory: () => MachineMemory;
  /** On the disk of the models folder. */
  readonly freeBytes: () => Promise<number>;
}

export class ModelProposals {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  async get(): Promise<Proposals> {
    const { catalogue, files: listed, memory, modelsFolder, freeBytes } = this.#parts;
    const [entries, files] = await Promise.all([catalogue(), listed()]);
    const machine = memory();
    const found = await this.#measured(files);
    const speed = found === null ? null : machineSpeed(found.measured, found.quantization);
    const forecasts = entries.map((entry) => {
      const folder = join(modelsFolder, ...entry.repository.split("/"), sep);
      const isHere = files.some(({ path }) => path.startsWith(folder));
      return foreseeModel(entry, machine, speed, isHere);
    });
    return {
      machine,
      diskFreeBytes: await freeBytes().catch(() => null),
      measured: found?.measured ?? null,
      forecasts,
      proposals: proposeModels(entries, forecasts),
    };
  }

  /** Of the default model, else of the smallest: of a mixture of experts, which small ones are not, bytes say too little. */
  async #measured(
    files: readonly ModelFile[],
  ): Promise<{ measured: SpeedMeasurement; quantization: string | null } | null> {
    const inOrder = [...files].sort(
      (one, other) => Number(other.isDefault) - Number(one.isDefault) || one.sizeBytes - other.sizeBytes,
    );
    for (const { path, name, sizeBytes, summary, loadOptions } of inOrder) {
      const file = await stampFile(path).catch(() => null);
      const speed = file === null ? null : this.#parts.speeds.of(file, loadOptions);
      if (speed === null) continue;
      const { prefillTokensPerSecond, decodeTokensPerSecond, underLoad } = speed;
      const measured = { modelName: name, sizeBytes, prefillTokensPerSecond, decodeTokensPerSecond, underLoad };
      return { measured, quantization: summary?.quantization ?? null };
    }
    return null;
  }
}
