/** Turns whatever a handler or a stream throws into the contract's errors, with a sentence for bad input too. */
import { mapEventIterator, ORPCError } from "@orpc/client";
import { ValidationError } from "@orpc/server";
import { RepriseError, toContractError } from "../contract/errors.ts";

function isEventIterator(value: unknown): value is AsyncIterator<unknown> & AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value && "next" in value;
}

/** oRPC's own answer to input that fails the schema says only that it failed. */
function invalidInput(caught: unknown): RepriseError<"INVALID_INPUT"> | null {
  if (!(caught instanceof ORPCError) || caught.code !== "BAD_REQUEST") return null;
  const issues = caught.cause instanceof ValidationError ? caught.cause.issues : [];
  const reasons = issues.map(({ path = [], message }) => {
    const field = path.map((segment) => String(typeof segment === "object" ? segment.key : segment)).join(".");
    return field === "" ? message : `${field}: ${message}`;
  });
  const reason = reasons.length > 0 ? reasons.join("; ") : caught.message;
  return new RepriseError(
    "INVALID_INPUT",
    `This cannot be done as it was asked for: ${reason}.`,
    { reason },
    { cause: caught },
  );
}

function typedError(caught: unknown): Error {
  return toContractError(invalidInput(caught) ?? caught);
}

/** Runs a handler; its errors, and those of the stream it returns, come out typed. */
export async function withTypedErrors<Result extends { output: unknown }>(
  run: () => Result | PromiseLike<Result>,
): Promise<Result> {
  try {
    const result = await run();
    if (!isEventIterator(result.output)) return result;
    const output = mapEventIterator(result.output as never, {
      value: (value) => Promise.resolve(value),
      error: (error) => Promise.resolve(typedError(error)),
    });
    return { ...result, output };
  } catch (caught) {
    throw typedError(caught);
  }
}
