/** The state of Reprise itself: engine, fetching of the default model, notices. Owns the last status main has sent. */
import type { AppStatus } from "../../src-main/contract/app-status.ts";
import type { Connection } from "./connection.svelte.ts";

export class AppStatusState {
  #current = $state.raw<AppStatus | null>(null);

  constructor(connection: Connection) {
    connection.follow<AppStatus>({
      open: (client, signal) => client.status.watch(undefined, { signal }),
      onEvent: (status) => {
        this.#current = status;
      },
    });
  }

  /** `null` until it has arrived for the first time. */
  get current(): AppStatus | null {
    return this.#current;
  }
}
