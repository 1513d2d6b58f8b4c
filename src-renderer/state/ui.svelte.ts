import { MediaQuery } from "svelte/reactivity";
import type { PromptPreviewInput } from "../../src-main/contract/prompt-preview.ts";

/** What is open on top of the chat. Owns the one dialog and the one drawer that may be open. */
export type OpenDialog =
  | { readonly name: "settings" }
  | { readonly name: "help" }
  | { readonly name: "conversation-settings" }
  | { readonly name: "add-model" }
  | { readonly name: "template"; readonly of: PromptPreviewInput["of"]; readonly edits: boolean }
  | { readonly name: "model-plan"; readonly modelId: string }
  | { readonly name: "model-details"; readonly path: string; readonly checks: boolean }
  | { readonly name: "load-options"; readonly modelId: string }
  | { readonly name: "remove-model"; readonly modelId: string }
  | { readonly name: "family-settings"; readonly familyId: string }
  | { readonly name: "clear-store" }
  | { readonly name: "rename"; readonly conversationId: string }
  | { readonly name: "delete"; readonly conversationId: string }
  | { readonly name: "get-model"; readonly repository: string }
  | { readonly name: "cancel-download"; readonly downloadId: string }
  | { readonly name: "quantize"; readonly modelId: string }
  /** `back`: what is open again when the question is answered; a model wrote the address where it is absent. */
  | { readonly name: "open-link"; readonly url: string; readonly back?: OpenDialog | null };

export class Ui {
  dialog = $state.raw<OpenDialog | null>(null);
  readonly #narrow = new MediaQuery("max-width: 799px", false);
  readonly #medium = new MediaQuery("max-width: 999px", false);
  /** Where there is no room beside the chat, list and inspector lie over it; that is not remembered. */
  drawer = $state<"list" | "inspector" | null>(null);
  modelMenuOpen = $state(false);
  /** Where the focus is to go next; whoever takes it sets it back. */
  focusNext = $state<"composer" | "search" | null>(null);

  /** There is no room for the list beside the chat. */
  get narrow(): boolean {
    return this.#narrow.current;
  }

  /** There is no room for the inspector beside list and chat. */
  get medium(): boolean {
    return this.#medium.current;
  }

  readonly close = () => {
    this.dialog = null;
  };
}
