import type { LoadedModel } from "../../src-main/contract/model.ts";
import { m } from "../paraglide/messages.js";

type Warning = NonNullable<LoadedModel["warnings"]>[number];

const texts: Readonly<Record<Warning, () => string>> = { "not-locked": m.warning_not_locked };

/** What was asked for and could not be had, as a sentence. */
export function warningText(warning: Warning): string {
  return texts[warning]();
}
