import type { CatalogueEntry, HubFiles, ModelDownload } from "../../src-main/contract/hub.ts";
import type { ModelForecast, Proposals } from "../../src-main/contract/proposals.ts";

export function sampleEntry(changes: Partial<CatalogueEntry> = {}): CatalogueEntry {
  return {
    id: "qwen3-4b",
    name: "Qwen3 4B",
    family: "Qwen3",
    repository: "someone/qwen",
    parameters: 4.02e9,
    license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    forWhom: { en: "For laptops.", de: "Für Laptops." },
    ...changes,
  };
}

function sampleForecast(changes: Partial<ModelForecast> = {}): ModelForecast {
  return {
    catalogueId: "qwen3-4b",
    level: "Q4_K_M",
    sizeBytes: 2.48e9,
    memoryBytes: 4.01e9,
    fit: "now",
    isHere: false,
    prefillTokensPerSecond: 40,
    decodeTokensPerSecond: 12.4,
    ...changes,
  };
}

export function sampleProposals(changes: Partial<Proposals> = {}): Proposals {
  return {
    machine: { totalBytes: 16e9, freeBytes: 8e9, reserveBytes: 1e9 },
    diskFreeBytes: 100e9,
    measured: null,
    forecasts: [sampleForecast()],
    proposals: [{ catalogueId: "qwen3-4b", reason: "strongest" }],
    ...changes,
  };
}

export function sampleHubFiles(): HubFiles {
  const level = (name: string, sizeBytes: number): HubFiles["levels"][number] => ({
    name,
    quantization: name,
    sizeBytes,
    files: [{ path: `m-${name}.gguf`, sizeBytes, sha256: "0".repeat(64) }],
  });
  return {
    repository: "someone/qwen",
    revision: "1".repeat(40),
    levels: [level("Q4_K_M", 2.5e9), level("Q8_0", 4.28e9)],
    suggestedLevel: "Q4_K_M",
    others: [],
  };
}

export function sampleDownload(changes: Partial<ModelDownload> = {}): ModelDownload {
  return {
    id: "d1",
    repository: "someone/qwen",
    revision: "1".repeat(40),
    level: "Q4_K_M",
    path: "/models/someone/qwen/m-Q4_K_M.gguf",
    state: "running",
    doneBytes: 1e9,
    totalBytes: 2.5e9,
    bytesPerSecond: 41e6,
    secondsLeft: 37,
    error: null,
    ...changes,
  };
}
