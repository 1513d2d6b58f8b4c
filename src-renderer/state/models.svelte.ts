/** The models Reprise knows. Owns the list as main last sent it. */
import type { ModelFile } from "../../src-main/contract/model.ts";
import type { Connection } from "./connection.svelte.ts";

export class Models {
  #files = $state.raw<readonly ModelFile[] | null>(null);

  constructor(connection: Connection) {
    connection.follow<ModelFile[]>({
      open: (client, signal) => client.models.watch(undefined, { signal }),
      // Adapters and picture readers go with a model and cannot be chosen by themselves.
      onEvent: (files) => {
        this.#files = files.filter(({ kind }) => kind === "model");
      },
    });
  }

  /** `null` until it has arrived for the first time. */
  get files(): readonly ModelFile[] | null {
    return this.#files;
  }

  readonly usable = $derived.by((): readonly ModelFile[] =>
    (this.#files ?? []).filter((file) => file.problem === null),
  );

  /**
   * The file a conversation uses: its own choice, else the app's, else the default model. `null` where it is not
   * there, `undefined` while that is not known.
   */
  choose(...choices: readonly (string | null)[]): ModelFile | null | undefined {
    const wanted = choices.find((id) => id !== null);
    const matches = ({ id, isDefault, copies }: ModelFile) =>
      wanted === undefined ? isDefault : id === wanted || copies.some(({ modelId }) => modelId === wanted);
    return this.#files === null ? undefined : (this.#files.find(matches) ?? null);
  }
}
