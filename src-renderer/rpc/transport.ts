import type { AppClient } from "../../src-main/contract/app-contract.ts";

/** One live connection. `closed` resolves when it ends, whoever ended it. */
export interface Transport {
  readonly client: AppClient;
  readonly closed: Promise<void>;
  close(): void;
}

/** Opens a connection; rejects when it cannot be opened or `signal` aborts. */
export type OpenTransport = (signal: AbortSignal) => Promise<Transport>;
