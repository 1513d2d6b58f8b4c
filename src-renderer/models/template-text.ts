import type { TemplateInUse, TemplateProblem } from "../../src-main/contract/model.ts";
import type { PromptPreview } from "../../src-main/contract/prompt-preview.ts";
import { m } from "../paraglide/messages.js";
import type { PromptSection } from "./prompt-sections.ts";

/** Why a model's prompts are not made with the template that was asked for, and with which they are; `null` where they are. */
export function templateTrouble({ template, templateProblems = [], templateFormat }: TemplateInUse): string | null {
  const reasons = templateProblems.map(problemText);
  if (template === "fallback") {
    const taken = m.template_fallback({ format: templateFormat ?? "" });
    return [...(reasons.length === 0 ? [m.template_none()] : reasons), taken].join(" ");
  }
  return reasons.length === 0 ? null : [...reasons, m.template_own_instead()].join(" ");
}

/** Of a template that fails while somebody looks at it. */
export function failureText({ reason, line }: NonNullable<PromptPreview["failure"]>): string {
  return line === null ? m.template_failure({ reason }) : m.template_failure_line({ line, reason });
}

function problemText({ from, reason, line }: TemplateProblem): string {
  const detail = failureText({ reason, line });
  return from === "override" ? m.template_problem_override({ detail }) : m.template_problem_model({ detail });
}

export function sectionName(part: PromptSection["part"]): string {
  switch (part) {
    case "start":
      return m.prompt_part_start();
    case "system":
      return m.prompt_part_system();
    case "user":
      return m.prompt_part_user();
    case "assistant":
      return m.prompt_part_assistant();
    case "tool":
      return m.prompt_part_tool();
    case "answer":
      return m.prompt_part_answer();
  }
}
