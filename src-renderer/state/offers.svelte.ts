/**
 * The models that can be had, and what they would be on this machine. Owns both as main last told them; what the hub has
 * of a model is asked elsewhere, and only when a person wants to know.
 */
import type { ErrorView } from "../../src-main/contract/errors.ts";
import type { CatalogueEntry } from "../../src-main/contract/hub.ts";
import type { ModelForecast, Proposal, Proposals } from "../../src-main/contract/proposals.ts";
import type { Connection } from "./connection.svelte.ts";
import { toErrorView } from "./problems.svelte.ts";

/** A model of the catalogue on this machine. */
export interface Offer {
  readonly entry: CatalogueEntry;
  readonly forecast: ModelForecast;
}

interface ProposedOffer extends Offer {
  readonly reason: Proposal["reason"];
}

export class Offers {
  #entries = $state.raw<readonly CatalogueEntry[]>([]);
  #found = $state.raw<Proposals | null>(null);
  #error = $state.raw<ErrorView | null>(null);
  #asked = 0;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** `null` until it has arrived for the first time. */
  get found(): Proposals | null {
    return this.#found;
  }

  /** Why it could not be had the last time. */
  get error(): ErrorView | null {
    return this.#error;
  }

  /** In the order of the catalogue. */
  readonly all = $derived.by((): readonly Offer[] => {
    return this.#entries.flatMap((entry) => {
      const forecast = this.#found?.forecasts.find(({ catalogueId }) => catalogueId === entry.id);
      return forecast === undefined ? [] : [{ entry, forecast }];
    });
  });

  readonly proposed = $derived.by((): readonly ProposedOffer[] =>
    (this.#found?.proposals ?? []).flatMap(({ catalogueId, reason }) =>
      this.all.filter(({ entry }) => entry.id === catalogueId).map((offer) => ({ ...offer, reason })),
    ),
  );

  /** By an id of the catalogue or the name of a repository. */
  find(name: string): Offer | null {
    const wanted = name.trim().toLowerCase();
    const isMeant = ({ id, repository }: CatalogueEntry) => id === wanted || repository.toLowerCase() === wanted;
    return this.all.find(({ entry }) => isMeant(entry)) ?? null;
  }

  /** Asks main anew, which asks nobody. Of two at once the later one counts. */
  async refresh(): Promise<void> {
    const asked = (this.#asked += 1);
    try {
      const [entries, found] = await this.#connection.call(({ models }) =>
        Promise.all([models.catalogue(), models.proposals()]),
      );
      if (asked !== this.#asked) return;
      this.#entries = entries;
      this.#found = found;
      this.#error = null;
    } catch (caught) {
      if (asked === this.#asked) this.#error = toErrorView(caught);
    }
  }
}
