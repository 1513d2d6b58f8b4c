/**
 * What is remembered of prompts, in kv.db, so that a restart forgets nothing. It owns what is not written yet: that goes
 * to the file while nothing is computed. Where the file cannot be used, nothing is kept; where the store is switched off,
 * nothing is written.
 */
import { writtenTotal } from "./block-changes.ts";
import type { KvFile } from "./kv-file.ts";
import { promptFromRow, promptToRow, type RememberedPrompt } from "./stored-prompt.ts";

export class PromptArchive {
  readonly #file: KvFile;
  readonly #added = new Map<number, RememberedPrompt>();
  readonly #removed = new Set<number>();
  #isEnabled = true;

  constructor(file: KvFile) {
    this.#file = file;
  }

  /** Switched off, what waits is not written any more; what is in the file stays there. */
  set isEnabled(isEnabled: boolean) {
    this.#isEnabled = isEnabled;
    if (!isEnabled) this.#added.clear();
  }

  /** In the order in which they were asked. What is damaged is left out, and removed. */
  list(): RememberedPrompt[] {
    const read = this.#file.attempt(({ tables }) => tables.prompts.list());
    if (read.kind === "failed") return [];
    return read.result.flatMap((row) => {
      const prompt = promptFromRow(row);
      if (prompt === null) this.#removed.add(row.id);
      return prompt ?? [];
    });
  }

  add(prompt: RememberedPrompt): void {
    if (this.#isEnabled) this.#added.set(prompt.id, prompt);
  }

  remove(id: number): void {
    if (!this.#added.delete(id)) this.#removed.add(id);
  }

  /** At once: of a deleted conversation nothing stays. */
  forget(conversationId: string): void {
    for (const prompt of this.#added.values())
      if (prompt.conversationId === conversationId) this.#added.delete(prompt.id);
    this.#file.write(({ prompts }) => {
      prompts.forget(conversationId);
    });
  }

  /** What waits is not written any more: the file is emptied. */
  discard(): void {
    this.#added.clear();
    this.#removed.clear();
  }

  /** Writes what waits. What cannot be written is not kept. */
  flush(): void {
    if (this.#added.size + this.#removed.size === 0) return;
    this.#file.write(({ prompts, addToTotal }) => {
      for (const id of this.#removed) prompts.remove(id);
      for (const row of [...this.#added.values()].map(promptToRow)) {
        prompts.insert(row);
        addToTotal(writtenTotal, row.tokens.length + row.facts.length);
      }
    });
    this.discard();
  }
}
