/**
 * One look at a prompt, and the template it is made with. Owns what was last shown; what is typed belongs to the drafts,
 * so that nothing of it is lost before it is saved.
 */
import type { ErrorView } from "../../src-main/contract/errors.ts";
import type { PromptPreview, PromptPreviewInput } from "../../src-main/contract/prompt-preview.ts";
import type { Connection } from "../state/connection.svelte.ts";
import type { Drafts } from "../state/drafts.svelte.ts";
import { Latest } from "../state/latest.ts";
import { toErrorView } from "../state/problems.svelte.ts";

type Subject = PromptPreviewInput["of"];

interface EditorParts {
  readonly connection: Pick<Connection, "call">;
  readonly drafts: Pick<Drafts, "get" | "set">;
}

/** `null`: as it is stored. */
type Wanted = string | null;

const pauseMs = 300;

export class TemplateEditor {
  #preview = $state.raw<PromptPreview | null>(null);
  #error = $state.raw<ErrorView | null>(null);
  /** `null`: nothing, since it was opened. */
  #typed = $state.raw<string | null>(null);
  /** What is shown is not yet what was asked for last. */
  #isBehind = $state.raw(true);
  readonly #parts: EditorParts;
  readonly #of: Subject;
  readonly #previews: Latest<Wanted>;

  constructor(of: Subject, parts: EditorParts) {
    this.#of = of;
    this.#parts = parts;
    this.#previews = new Latest({
      pauseMs,
      work: (wanted, signal) => this.#show(wanted, signal),
      isOutdated: () => true,
    });
    this.#previews.set(null, true);
  }

  /** The last that arrived; of a template that fails it says why. */
  get preview(): PromptPreview | null {
    return this.#preview;
  }

  get error(): ErrorView | null {
    return this.#error;
  }

  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** What stands in the field: what was typed and not saved, else what is stored, else the file's own. */
  readonly text = $derived.by(() => this.#typed ?? (this.#draft === "" ? this.#stored : this.#draft));
  readonly isChanged = $derived.by(() => this.#preview !== null && this.text !== this.#stored);
  readonly isOwn = $derived.by(() => this.text === (this.#preview?.ownTemplate ?? ""));
  /** What is typed was tried, and works. */
  readonly canSave = $derived.by(
    () =>
      this.isChanged &&
      this.text.trim() !== "" &&
      !this.#isBehind &&
      this.#error === null &&
      (this.#preview?.failure ?? null) === null,
  );

  /** Shows what it would make, and stores nothing. */
  type(text: string): void {
    if (this.#place === null) return;
    this.#typed = text;
    this.#parts.drafts.set(this.#place, text === this.#stored ? "" : text);
    this.#ask();
  }

  /** The text of the file's own template, still to be saved. */
  useOwn(): void {
    this.type(this.#preview?.ownTemplate ?? "");
  }

  /** Shows again what was last asked for. */
  retry(): void {
    this.#previews.set(this.#wanted, true);
  }

  /** For all levels of the model. Returns whether it is stored. */
  async save(): Promise<boolean> {
    const familyId = this.#preview?.familyId ?? null;
    if (familyId === null || this.#place === null) return false;
    const chatTemplate = this.isOwn ? null : this.text;
    try {
      await this.#parts.connection.call((client) => client.models.updateFamily({ familyId, patch: { chatTemplate } }));
    } catch (caught) {
      this.#error = toErrorView(caught);
      return false;
    }
    this.#parts.drafts.set(this.#place, "");
    return true;
  }

  close(): void {
    this.#previews.clear();
  }

  get #stored(): string {
    return this.#preview?.override ?? this.#preview?.ownTemplate ?? "";
  }

  /** `null`: there is nothing that could be stored for the file. */
  get #place(): string | null {
    const familyId = this.#preview?.familyId ?? null;
    return familyId === null ? null : `template-${familyId}`;
  }

  get #draft(): string {
    return this.#place === null ? "" : this.#parts.drafts.get(this.#place);
  }

  /** Nothing can be made with a template of nothing. */
  get #wanted(): Wanted {
    return this.isChanged && this.text.trim() !== "" ? this.text : null;
  }

  #ask(): void {
    this.#isBehind = true;
    this.#previews.set(this.#wanted);
  }

  async #show(wanted: Wanted, signal: AbortSignal): Promise<void> {
    const input = { of: this.#of, ...(wanted !== null && { chatTemplate: wanted }) };
    try {
      const preview = await this.#parts.connection.call((client) => client.models.previewPrompt(input, { signal }));
      if (signal.aborted) return;
      const isFirst = this.#preview === null;
      this.#preview = preview;
      this.#error = null;
      this.#isBehind = false;
      // What was typed and not saved the last time is what the field shows.
      if (isFirst && this.#wanted !== null) this.#ask();
    } catch (caught) {
      if (signal.aborted) return;
      this.#error = toErrorView(caught);
      this.#isBehind = false;
    }
  }
}
