/** What the user sees of the app as a whole: the engine, the fetching of the default model, and notices. */
import type { AppStatus, EngineStatus, FetchStatus } from "../contract/app-status.ts";
import { errorView, type RepriseError } from "../contract/errors.ts";
import { newId } from "../contract/id.ts";
import type { TemplateInUse } from "../contract/model.ts";
import { EventHub } from "./event-hub.ts";

const mostNotices = 20;

type Identity = Pick<AppStatus, "version" | "host" | "dataFolder" | "modelsFolder">;

export class StatusService {
  #status: AppStatus;
  // Progress may come far more often than anybody can read it.
  readonly #hub = new EventHub<AppStatus>({ snapshot: () => this.#status, backlogLimit: 0, snapshotGapMs: 50 });

  constructor(identity: Identity) {
    this.#status = { ...identity, engine: { state: "idle" }, fetch: { state: "none" }, notices: [] };
  }

  get(): AppStatus {
    return this.#status;
  }

  watch(signal?: AbortSignal): AsyncIteratorObject<AppStatus, undefined> {
    return this.#hub.watch(signal);
  }

  setEngine(engine: EngineStatus): void {
    this.#change({ engine });
  }

  /** The loaded model's context has this size now. */
  setContextTokens(contextTokens: number): void {
    const { engine } = this.#status;
    if (engine.state !== "ready" || engine.model.contextTokens === contextTokens) return;
    this.#change({ engine: { ...engine, model: { ...engine.model, contextTokens } } });
  }

  /** All models in memory, while one of them is ready. */
  setResidents(residents: Extract<EngineStatus, { state: "ready" }>["residents"]): void {
    const { engine } = this.#status;
    if (engine.state !== "ready" || JSON.stringify(engine.residents) === JSON.stringify(residents)) return;
    this.#change({ engine: { ...engine, residents } });
  }

  /** The loaded model's prompts are made with this template now. */
  setTemplate(inUse: TemplateInUse): void {
    const { engine } = this.#status;
    if (engine.state === "ready") this.#change({ engine: { ...engine, model: { ...engine.model, ...inUse } } });
  }

  setFetch(fetch: FetchStatus): void {
    this.#change({ fetch });
  }

  /** The same news again replaces the older one, so that a disk that stays full does not fill the screen. */
  addNotice(error: RepriseError): void {
    const others = this.#status.notices.filter((notice) => notice.error.message !== error.message);
    const notices = [...others, { id: newId(), error: errorView(error) }].slice(-mostNotices);
    this.#change({ notices });
  }

  dismissNotice(noticeId: string): void {
    this.#change({ notices: this.#status.notices.filter(({ id }) => id !== noticeId) });
  }

  end(): void {
    this.#hub.end();
  }

  #change(change: Partial<AppStatus>): void {
    this.#status = { ...this.#status, ...change };
    this.#hub.refresh();
  }
}
