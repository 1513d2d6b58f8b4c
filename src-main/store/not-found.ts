import { RepriseError, type ErrorData } from "../contract/errors.ts";

/** What was asked for is not in the store, most likely because it was deleted meanwhile. */
export function notFound(what: ErrorData<"NOT_FOUND">["what"], id: string): RepriseError<"NOT_FOUND"> {
  return new RepriseError("NOT_FOUND", `There is no ${what} ${id}; it may have been deleted.`, { what, id });
}
