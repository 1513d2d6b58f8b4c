/** The tree that Markdown is shown from. It holds text and checked addresses only, never markup. */
export type Block =
  | { readonly kind: "paragraph"; readonly inlines: readonly Inline[] }
  /** A line of a tight list, which is no paragraph of its own. */
  | { readonly kind: "line"; readonly inlines: readonly Inline[] }
  | { readonly kind: "heading"; readonly depth: number; readonly inlines: readonly Inline[] }
  | { readonly kind: "code"; readonly language: string | null; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | {
      readonly kind: "list";
      /** The first item's number; `null`: bullets. */
      readonly start: number | null;
      readonly items: readonly ListItem[];
    }
  | {
      readonly kind: "table";
      readonly header: readonly Cell[];
      readonly rows: readonly (readonly Cell[])[];
    }
  | { readonly kind: "rule" };

export interface ListItem {
  /** `null` where the item is no task. */
  readonly checked: boolean | null;
  readonly blocks: readonly Block[];
}

export interface Cell {
  readonly align: "left" | "center" | "right";
  readonly inlines: readonly Inline[];
}

export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "strong"; readonly inlines: readonly Inline[] }
  | { readonly kind: "emphasis"; readonly inlines: readonly Inline[] }
  | { readonly kind: "strike"; readonly inlines: readonly Inline[] }
  | { readonly kind: "break" }
  /** `url` is of an allowed scheme. */
  | { readonly kind: "link"; readonly url: string; readonly inlines: readonly Inline[] }
  | ImageInline;

/** Never loaded; shown as a link to `url`, or as its description where the address is not allowed. */
export interface ImageInline {
  readonly kind: "image";
  readonly url: string | null;
  readonly description: string;
}
