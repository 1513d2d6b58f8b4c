/** `reprise models template`: shows the chat template of a model, or sets another one for all its levels. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { AppClient } from "../contract/app-contract.ts";
import { RepriseError } from "../contract/errors.ts";
import { chatTemplateSchema } from "../contract/model-settings.ts";
import type { PromptPreview } from "../contract/prompt-preview.ts";
import { chooseModel } from "./choose-model.ts";
import type { CommandHost } from "./command-host.ts";
import { connect } from "./connect.ts";
import type { CommonOptions } from "./invocation.ts";
import { modelsSubcommand } from "./models-subcommand.ts";
import { unlessStopped } from "./stop.ts";
import { print, printJson, remark } from "./terminal.ts";

interface TemplateOptions extends CommonOptions {
  /** An id of the list, or a file. */
  readonly model: string;
  /** A file, `null` for the model's own template, absent: nothing is set. */
  readonly set: string | null | undefined;
}

export const modelTemplate = modelsSubcommand<TemplateOptions, { set?: string; reset?: true }>({
  grammar: "template <model>",
  description: "show a model's chat template; set another one, for all levels of the model",
  configure: (command) => {
    command
      .option("--set <file>", "use the Jinja template in this file")
      .option("--reset", "use the template in the model's own file again");
  },
  read: (options, [model = ""], { set, reset }) => ({
    ...options,
    model,
    set: reset === true ? null : set && resolve(set),
  }),
  run,
});

/** JSON: `{modelId, familyId, template, reason, own, override}`. Text: the template that is used. */
async function run({ model, set, json, folders }: TemplateOptions, host: CommandHost): Promise<void> {
  const { terminal, stop } = host;
  await using app = await connect(host, folders, { isShared: false });
  const work = show(app.client, model, set);
  const { modelId, familyId, ownTemplate: own, override, inUse } = await unlessStopped(stop, "Stopped.", work);
  const reason = inUse.templateReason ?? null;
  if (json) {
    printJson(terminal, { modelId, familyId, template: inUse.template, reason, own, override });
    return;
  }
  if (reason !== null) remark(terminal, reason);
  const text = inUse.template === "override" ? override : inUse.template === "model" ? own : null;
  print(terminal, text === null ? `${reason ?? ""}\n` : `${text}\n`);
}

async function show(client: AppClient, text: string, set: string | null | undefined): Promise<PromptPreview> {
  const modelId = await chooseModel(client, text);
  const of = { kind: "sample", modelId } as const;
  if (set !== undefined) {
    const chatTemplate = set === null ? null : await readTemplate(set);
    const { familyId, failure } = await client.models.previewPrompt({ of, ...(chatTemplate && { chatTemplate }) });
    if (chatTemplate !== null && failure !== null) throw templateFailed(failure);
    if (familyId === null) throw notTold(modelId);
    await client.models.updateFamily({ familyId, patch: { chatTemplate } });
  }
  return client.models.previewPrompt({ of });
}

async function readTemplate(path: string): Promise<string> {
  try {
    return chatTemplateSchema.parse(await readFile(path, "utf8"));
  } catch (caught) {
    const reason = caught instanceof Error && "code" in caught ? String(caught.code) : "it is empty, or too large";
    const sentence = `${path} cannot be used as a chat template (${reason}). Nothing was changed.`;
    throw new RepriseError("INVALID_INPUT", sentence, { reason }, { cause: caught });
  }
}

function templateFailed({ reason, line }: NonNullable<PromptPreview["failure"]>): RepriseError {
  const place = line === null ? "" : `line ${line}: `;
  const sentence = `This template does not work: ${place}${reason}. Nothing was changed.`;
  return new RepriseError("TEMPLATE_FAILED", sentence, { reason, line });
}

function notTold(id: string): RepriseError {
  const sentence =
    "This file does not say which model it holds, so no template can be set for it. Nothing was changed.";
  return new RepriseError("NOT_FOUND", sentence, { what: "model", id });
}
