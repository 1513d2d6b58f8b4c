import { expect } from "vitest";
import type { ErrorCode, ErrorData } from "../../src-main/contract/errors.ts";

/** What `toThrow` takes for a RepriseError of this code that holds at least this data. */
export function codedError<Code extends ErrorCode>(code: Code, data: Partial<ErrorData<Code>> = {}): Error {
  const atLeast: object = data;
  return expect.objectContaining({ code, data: expect.objectContaining(atLeast) as unknown }) as Error;
}
