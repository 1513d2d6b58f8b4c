import type { ChatTemplate } from "./chat-template.ts";

/** What a template writes around answers, learned from small renderings. */
export interface AnswerAnchors {
  /** What stands between a user's text and the answer: the end of the turn and the generation prompt. */
  readonly anchors: readonly string[];
  /**
   * Blanks the template writes before an answer in the history but not before the one to be generated, so that the
   * model writes them itself.
   */
  readonly lead: string;
}

const firstQuestion = "AnchorQuestionOne";
const answer = "AnchorAnswer";
const secondQuestion = "AnchorQuestionTwo";

export function learnAnchors({ render }: Pick<ChatTemplate, "render">): AnswerAnchors {
  const short = render([{ role: "user", content: firstQuestion }]);
  const long = render([
    { role: "user", content: firstQuestion },
    { role: "assistant", content: answer },
    { role: "user", content: secondQuestion },
  ]);
  const anchor = textAfter(short, firstQuestion);
  const anchors = [anchor, textAfter(long, secondQuestion)].filter((text) => text !== "");
  return { anchors: [...new Set(anchors)], lead: leadOf(textAfter(long, firstQuestion), anchor) };
}

function leadOf(history: string, anchor: string): string {
  const inHistory = history.slice(0, history.indexOf(answer));
  const extra = inHistory.startsWith(anchor) ? inHistory.slice(anchor.length) : "";
  return extra.trim() === "" ? extra : "";
}

function textAfter(text: string, part: string): string {
  const start = text.lastIndexOf(part);
  return start < 0 ? "" : text.slice(start + part.length);
}
