import { createContext, Script } from "node:vm";
import { TemplateError } from "./template-error.ts";

/** Its time is over; where it was then says nothing. */
export class TimeIsOver extends TemplateError {
  constructor() {
    super("it took too long", null);
  }
}

// Only to run under a clock: Node can end a script, and with it whatever the script has called.
const caller = createContext({ work: (): void => undefined }) as { work: () => void };
const call = new Script("work()");

/**
 * Runs `work`, which must be synchronous, and ends it wherever it is when its time is over, also in the middle of a loop
 * of a library that counts nothing. Throws TimeIsOver then, and whatever `work` throws.
 */
export function withinTime<T>(limitMs: number, work: () => T): T {
  const results: T[] = [];
  caller.work = () => {
    results.push(work());
  };
  try {
    call.runInContext(caller, { timeout: limitMs });
  } catch (caught) {
    throw isTimeout(caught) ? new TimeIsOver() : caught;
  }
  return results[0] as T;
}

/** The script's world has an Error of its own, so it is told by its code. */
function isTimeout(caught: unknown): boolean {
  const hasCode = typeof caught === "object" && caught !== null && "code" in caught;
  return hasCode && caught.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
