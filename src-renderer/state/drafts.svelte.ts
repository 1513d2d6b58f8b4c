/**
 * What is typed and not yet sent, for each place that text is typed into. Owns it in memory and in the browser's
 * storage: a draft survives a reload, a crash and a failed sending, and goes only when it was sent or emptied.
 */
import { SvelteMap } from "svelte/reactivity";
import type { LocalStore } from "./local-store.ts";

const prefix = "reprise.draft.";

export class Drafts {
  readonly #store: LocalStore;
  readonly #texts = new SvelteMap<string, string>();
  /** Texts on their way; part of the draft until it is known that they arrived. */
  readonly #sending = new SvelteMap<string, string>();

  /** Where something was typed last. */
  #latestPlace = $state.raw<string | null>(null);

  constructor(store: LocalStore) {
    this.#store = store;
  }

  get latestPlace(): string | null {
    return this.#latestPlace;
  }

  /** `place`: a conversation's id, or another name of a field. */
  get(place: string): string {
    return this.#texts.get(place) ?? this.#stored(place);
  }

  set(place: string, text: string): void {
    this.#texts.set(place, text);
    this.#latestPlace = place;
    this.#keep(place);
  }

  /** Takes the text out of the field, but not yet out of the storage: call `sent` or `failed` next. */
  take(place: string): string {
    const text = this.get(place);
    this.#sending.set(place, text);
    this.#texts.set(place, "");
    this.#keep(place);
    return text;
  }

  sent(place: string): void {
    this.#sending.delete(place);
    this.#keep(place);
  }

  /** Puts the text back before what was typed meanwhile. */
  failed(place: string): void {
    const unsent = this.#sending.get(place) ?? "";
    this.#sending.delete(place);
    this.set(place, joined(unsent, this.get(place)));
  }

  /** To another place, after what is typed there. */
  move(from: string, to: string): void {
    this.set(to, joined(this.get(to), this.get(from)));
    this.set(from, "");
  }

  #stored(place: string): string {
    const stored = this.#store.read(prefix + place);
    return typeof stored === "string" ? stored : "";
  }

  #keep(place: string): void {
    const text = joined(this.#sending.get(place) ?? "", this.#texts.get(place) ?? "");
    if (text === "") this.#store.remove(prefix + place);
    else this.#store.write(prefix + place, text);
  }
}

function joined(before: string, after: string): string {
  return before === "" || after === "" ? before + after : `${before}\n${after}`;
}
