/** Measures models that nobody has used yet, in the background. One at a time; answers go first. */
import { RepriseError } from "../contract/errors.ts";
import type { LoadOptions } from "../contract/model-settings.ts";
import type { ModelSpeed } from "../contract/model-switch.ts";
import type { EngineSession } from "./engine-session.ts";
import { stampFile } from "./file-stamp.ts";
import type { ModelChoice } from "./model-choice.ts";
import { fileNameOf, type ModelLocator, type ModelReference } from "./model-locator.ts";
import type { ModelSpeeds } from "./model-speeds.ts";

interface Dependencies {
  readonly session: EngineSession;
  readonly models: ModelChoice;
  readonly locator: ModelLocator;
  readonly speeds: ModelSpeeds;
  readonly loadOptionsOf: (modelId: string) => LoadOptions;
}

export class ModelMeasuring {
  readonly #parts: Dependencies;
  readonly #closing = new AbortController();
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** See the contract. */
  async measure(modelId: string, caller: AbortSignal): Promise<ModelSpeed> {
    const signal = AbortSignal.any([caller, this.#closing.signal]);
    const measuring = this.#last.then(() => this.#measure(modelId, signal));
    this.#last = measuring.then((measured) => this.#putBack(measured)).catch(() => undefined);
    return (await measuring).speed;
  }

  close(): void {
    this.#closing.abort(new RepriseError("ENGINE_STOPPED", "Reprise is closing, so nothing was measured.", {}));
  }

  async #measure(modelId: string, signal: AbortSignal): Promise<Measured> {
    const { session, models, locator, speeds, loadOptionsOf } = this.#parts;
    signal.throwIfAborted();
    const model = await models.usable(modelId, signal);
    const known = async () => speeds.of(await stampFile(model.path), loadOptionsOf(model.id));
    const earlier = await known();
    if (earlier !== null && !earlier.underLoad) return { speed: earlier, model, before: null };
    let before: string | null;
    // A file that was never measured is, whenever it is loaded.
    do {
      await session.whenOpenFor(model, signal);
      // Of whoever came between, where somebody did.
      before = session.loadedPath;
    } while ((await session.besideAnswers(model, signal, () => Promise.resolve({}))) === null);
    const speed = await known();
    if (speed !== null) return { speed, model, before: before === null ? null : locator.atPath(before) };
    const reason = "its file changed while it was measured";
    const sentence = `${fileNameOf(model.path)} was not measured: ${reason}. Try again.`;
    throw new RepriseError("ENGINE_FAILED", sentence, { reason });
  }

  /** At hand again for the next message, unless somebody wants another one by now. */
  async #putBack({ model, before }: Measured): Promise<void> {
    const { session } = this.#parts;
    if (before === null || session.loadedPath !== model.path) return;
    await session.besideAnswers(before, this.#closing.signal, () => Promise.resolve({}));
  }
}

interface Measured {
  readonly speed: ModelSpeed;
  readonly model: ModelReference;
  /** What was loaded before; `null` where that is as it was. */
  readonly before: ModelReference | null;
}
