/** The models Reprise knows. Owns the lists as main last sent them. */
import type { FamilyCard } from "../../src-main/contract/model-library.ts";
import type { ModelFile } from "../../src-main/contract/model.ts";
import type { Connection } from "./connection.svelte.ts";
import { namedByFamily } from "./named-by-family.ts";

export class Models {
  #sent = $state.raw<readonly ModelFile[] | null>(null);
  #families = $state.raw<readonly FamilyCard[] | null>(null);

  readonly #listed = $derived(this.#sent === null ? null : namedByFamily(this.#sent, this.#families ?? []));

  /** Adapters and picture readers go with a model and cannot be chosen by themselves. */
  readonly #models = $derived(this.#listed?.filter(({ kind }) => kind === "model") ?? null);

  constructor(connection: Connection) {
    connection.follow<ModelFile[]>({
      open: (client, signal) => client.models.watch(undefined, { signal }),
      onEvent: (files) => {
        this.#sent = files;
      },
    });
    connection.follow<FamilyCard[]>({
      open: (client, signal) => client.models.families(undefined, { signal }),
      onEvent: (families) => {
        this.#families = families;
      },
    });
  }

  /** The files a conversation could use, or could if nothing were wrong with them; `null` until they have arrived. */
  get files(): readonly ModelFile[] | null {
    return this.#models;
  }

  /** Also adapters and picture readers; `null` until they have arrived. */
  get listed(): readonly ModelFile[] | null {
    return this.#listed;
  }

  /** Any file that is listed; `null` where it is not there any more. */
  find(modelId: string): ModelFile | null {
    return this.#listed?.find(({ id }) => id === modelId) ?? null;
  }

  /** One card for all levels of a model; `null` until they have arrived. */
  get families(): readonly FamilyCard[] | null {
    return this.#families;
  }

  readonly usable = $derived.by((): readonly ModelFile[] => (this.files ?? []).filter((file) => file.problem === null));

  /** The default model is not there, or cannot be used; false while that is not known. */
  readonly lacksDefault = $derived.by(() => this.files !== null && !this.usable.some(({ isDefault }) => isDefault));

  /**
   * The file a conversation uses: its own choice, else the app's, else the default model. `null` where it is not
   * there, `undefined` while that is not known.
   */
  choose(...choices: readonly (string | null)[]): ModelFile | null | undefined {
    const wanted = choices.find((id) => id !== null);
    const matches = ({ id, isDefault, copies }: ModelFile) =>
      wanted === undefined ? isDefault : id === wanted || copies.some(({ modelId }) => modelId === wanted);
    return this.files === null ? undefined : (this.files.find(matches) ?? null);
  }
}
