import { HashSteps } from "./hash-steps.ts";
import { readModel } from "./read-model.ts";
import type { ReaderAnswer, ReaderRequest } from "./reader-messages.ts";

/** The worker's side. It owns the one file whose hash is being computed. */
export function answerReader(): (request: ReaderRequest) => ReaderAnswer {
  let hashing: { readonly path: string; readonly steps: HashSteps } | null = null;
  const end = () => {
    hashing?.steps[Symbol.dispose]();
    hashing = null;
  };
  const step = (path: string, isFirst: boolean): string | null => {
    if (isFirst || hashing?.path !== path) {
      end();
      hashing = { path, steps: new HashSteps(path) };
    }
    const sha256 = hashing.steps.next();
    if (sha256 !== null) end();
    return sha256;
  };
  return (request) => {
    const { id, kind, path } = request;
    try {
      if (kind === "read") return { id, kind, facts: readModel(path) };
      return { id, kind, sha256: step(path, request.isFirst) };
    } catch (caught) {
      if (kind === "hash") end();
      const code = caught instanceof Error && "code" in caught ? String(caught.code) : null;
      return { id, kind: "failed", code, detail: caught instanceof Error ? caught.message : String(caught) };
    }
  };
}
