/**
 * What the echo engine answers. The last user message may be a command:
 *   /count N MS    N numbered words, one every MS milliseconds
 *   /crash N       N words, then dies the way a failed assertion does
 *   /hang N        N words, then never turns its event loop again
 *   /hold          stays in prefill until it is stopped
 *   /deaf N        N words, then goes on silently and does not hear a stop
 *   /fail          ends with ENGINE_FAILED
 *   /full N        N words, then the context is full
 *   /grow          the context has twice its size then
 *   /prompt        the prompt as JSON
 *   /request       everything else of the request as JSON
 * Anything else is answered with "You said: …".
 */
import type { GenerateInput } from "../../src-main/contract/engine-contract.ts";

interface EchoScript {
  readonly words: readonly string[];
  readonly pauseMs: number;
  readonly ending: "end" | "crash" | "hang" | "deaf" | "fail" | "context-full";
}

export function scriptFor({ messages, ...request }: GenerateInput): EchoScript {
  const text = messages.at(-1)?.content ?? "";
  const [command, first, second] = text.split(" ");
  const numbered = Array.from({ length: Number(first ?? 0) }, (_, index) => `${index + 1} `);
  switch (command ?? "") {
    case "/count":
      return { words: numbered, pauseMs: Number(second ?? 0), ending: "end" };
    case "/crash":
      return { words: numbered, pauseMs: 0, ending: "crash" };
    case "/hang":
      return { words: numbered, pauseMs: 0, ending: "hang" };
    case "/deaf":
      return { words: numbered, pauseMs: 0, ending: "deaf" };
    case "/fail":
      return { words: [], pauseMs: 0, ending: "fail" };
    case "/full":
      return { words: numbered, pauseMs: 0, ending: "context-full" };
    case "/prompt":
      return { words: [JSON.stringify(messages)], pauseMs: 0, ending: "end" };
    case "/request":
      return { words: [JSON.stringify(request)], pauseMs: 0, ending: "end" };
    default:
      return { words: `You said: ${text}`.split(/(?<= )/), pauseMs: 0, ending: "end" };
  }
}
