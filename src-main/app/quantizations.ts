/**
 * Quantizations that were asked for since the app was opened, made one after the other in the background. It owns their
 * list; the files belong to whoever reads models once they are whole.
 */
import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import { errorView, RepriseError, toRepriseError } from "../contract/errors.ts";
import { newId } from "../contract/id.ts";
import type { Quantization, QuantizationPlan, QuantizationTarget, QuantizeInput } from "../contract/quantization.ts";
import type { MakeRequest } from "../contract/quantizer-messages.ts";
import { EventHub } from "./event-hub.ts";
import type { ModelLibrary } from "./model-library.ts";
import { checkRoom, fileExists, freeBytesIn, writeWhole } from "./output-file.ts";
import type { Quantizer } from "./ports.ts";
import type { PlannedQuantization, QuantizationPlanner } from "./quantization-planner.ts";
import type { StatusService } from "./status-service.ts";

interface Dependencies {
  readonly planner: QuantizationPlanner;
  readonly quantizer: Quantizer;
  readonly library: Pick<ModelLibrary, "add">;
  readonly status: Pick<StatusService, "addNotice">;
}

interface Job {
  view: Quantization;
  readonly request: Omit<MakeRequest, "outputPath">;
  readonly overwrite: boolean;
  readonly cancel: AbortController;
  ended: Promise<void>;
}

/** Before that the rate says nothing. */
const rateAfterMs = 1_000;

export class Quantizations {
  readonly #parts: Dependencies;
  readonly #closing = new AbortController();
  #jobs: readonly Job[] = [];
  #last: Promise<unknown> = Promise.resolve();
  readonly #hub = new EventHub<Quantization[]>({
    snapshot: () => this.#jobs.map(({ view }) => view),
    backlogLimit: 0,
    snapshotGapMs: 50,
  });

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  watch(signal?: AbortSignal): AsyncIteratorObject<Quantization[], undefined> {
    return this.#hub.watch(signal);
  }

  /** Throws what the planner throws. */
  async plan(target: QuantizationTarget, signal: AbortSignal): Promise<QuantizationPlan> {
    return (await this.#planned(target, signal)).plan;
  }

  /**
   * Puts it behind those that are being made. Throws what the planner throws, IMATRIX_NEEDED, REQUANTIZE_LOSSY,
   * FILE_EXISTS, STORAGE_FAILED.
   */
  async start(input: QuantizeInput, signal: AbortSignal): Promise<Quantization> {
    const { plan, request } = await this.#planned(input, signal);
    const overwrite = input.overwrite ?? false;
    refuse(plan, { overwrite, allowRequantize: input.allowRequantize ?? false });
    this.#refuseTwice(plan.outputPath);
    const job: Job = {
      view: {
        id: newId(),
        sourcePath: plan.sourcePath,
        level: plan.level,
        path: plan.outputPath,
        state: "waiting",
        fraction: 0,
        secondsLeft: null,
        predictedBytes: plan.predictedBytes,
        bytes: null,
        error: null,
      },
      request: { ...request, threads: input.threads ?? Math.max(1, availableParallelism() - 1) },
      overwrite,
      cancel: new AbortController(),
      ended: Promise.resolve(),
    };
    job.ended = this.#last.then(() => this.#run(job));
    this.#last = job.ended;
    this.#jobs = [...this.#jobs, job];
    this.#hub.refresh();
    return job.view;
  }

  /** Returns when nothing is left of it. One that has ended leaves the list. Throws NOT_FOUND. */
  async cancel(quantizationId: string): Promise<void> {
    const job = this.#jobs.find(({ view }) => view.id === quantizationId);
    if (job === undefined) {
      const sentence = "This quantization is not on the list any more.";
      throw new RepriseError("NOT_FOUND", sentence, { what: "quantization", id: quantizationId });
    }
    if (isOver(job)) {
      this.#jobs = this.#jobs.filter((other) => other !== job);
      this.#hub.refresh();
      return;
    }
    job.cancel.abort(cancelled());
    // One that waits is told at once, and passed over when its turn comes.
    if (job.view.state === "waiting") this.#change(job, { state: "cancelled" });
    else await job.ended;
  }

  /** Ends what is being made and keeps nothing of it. */
  async close(): Promise<void> {
    this.#closing.abort(cancelled());
    for (const job of this.#jobs) job.cancel.abort(cancelled());
    await this.#last;
  }

  end(): void {
    this.#hub.end();
  }

  async #planned(target: QuantizationTarget, signal: AbortSignal): Promise<PlannedQuantization> {
    return this.#parts.planner.plan(target, AbortSignal.any([signal, this.#closing.signal]));
  }

  #refuseTwice(outputPath: string): void {
    const other = this.#jobs.find((job) => !isOver(job) && job.view.path === outputPath);
    if (other === undefined) return;
    const reason = `${outputPath} is being made already`;
    throw new RepriseError("INVALID_INPUT", `${reason}. Wait for it, or cancel it first.`, { reason });
  }

  async #run(job: Job): Promise<void> {
    if (isCancelled(job)) {
      this.#change(job, { state: "cancelled" });
      return;
    }
    this.#change(job, { state: "running" });
    try {
      const bytes = await this.#make(job);
      await this.#list(job.view.path);
      this.#change(job, { state: "done", fraction: 1, secondsLeft: null, bytes });
    } catch (caught) {
      const error = isCancelled(job) ? null : errorView(toRepriseError(caught));
      this.#change(job, { state: error === null ? "cancelled" : "failed", secondsLeft: null, error });
    }
  }

  async #make({ view, request, overwrite, cancel }: Job): Promise<number> {
    const { path, predictedBytes } = view;
    const folder = dirname(path);
    checkRoom(folder, predictedBytes, await freeBytesIn(folder));
    const startedAt = performance.now();
    return writeWhole(path, { overwrite }, (temporary) =>
      this.#parts.quantizer.make(
        { ...request, outputPath: temporary },
        (writtenBytes) => {
          this.#progress(view.id, writtenBytes / predictedBytes, performance.now() - startedAt);
        },
        cancel.signal,
      ),
    );
  }

  #progress(id: string, writtenFraction: number, elapsedMs: number): void {
    const job = this.#jobs.find(({ view }) => view.id === id);
    if (job === undefined) return;
    const fraction = Math.min(1, writtenFraction);
    const hasRate = elapsedMs >= rateAfterMs && fraction > 0;
    const secondsLeft = hasRate ? ((elapsedMs / 1_000) * (1 - fraction)) / fraction : null;
    this.#change(job, { fraction, secondsLeft });
  }

  /** The file is whole whether or not the list can be read just now. */
  async #list(path: string): Promise<void> {
    try {
      await this.#parts.library.add(path);
    } catch (caught) {
      this.#parts.status.addNotice(toRepriseError(caught));
    }
  }

  #change(job: Job, change: Partial<Quantization>): void {
    job.view = { ...job.view, ...change };
    this.#hub.refresh();
  }
}

function isCancelled({ cancel }: Job): boolean {
  return cancel.signal.aborted;
}

function isOver({ view }: Job): boolean {
  return view.state !== "waiting" && view.state !== "running";
}

function cancelled(): RepriseError<"QUANTIZE_FAILED"> {
  const reason = "it was cancelled";
  return new RepriseError("QUANTIZE_FAILED", "The quantization was cancelled. Nothing of it was kept.", { reason });
}

/** What needs consent, a file or room that is not there is told before anything is begun. */
function refuse(
  plan: QuantizationPlan,
  allowed: { readonly overwrite: boolean; readonly allowRequantize: boolean },
): void {
  const { level, sourcePath, outputPath, predictedBytes, freeBytes } = plan;
  if (plan.needsImatrix) {
    const sentence = `${level} needs an importance matrix, without which the result would be useless. Nothing was written. Name one, or choose another level.`;
    throw new RepriseError("IMATRIX_NEEDED", sentence, { level });
  }
  if (plan.isLossySource && !allowed.allowRequantize) {
    const sentence = `${sourcePath} is quantized already, and quantizing it once more loses more than ${level} made of the original. Nothing was written. Take the model in F16, BF16, F32 or Q8_0, or allow it all the same.`;
    throw new RepriseError("REQUANTIZE_LOSSY", sentence, { path: sourcePath, level });
  }
  if (plan.outputExists && !allowed.overwrite) throw fileExists(outputPath);
  checkRoom(dirname(outputPath), predictedBytes, freeBytes);
}
