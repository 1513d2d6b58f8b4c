/** Which model wrote which answer of a thread, where it was not one model all along. */
import type { Message } from "../../src-main/contract/conversation.ts";
import type { ModelFile } from "../../src-main/contract/model.ts";
import { withLevel } from "../models/model-label.ts";

interface Writers {
  /** Who wrote it, by the answer's id. Empty where one model wrote them all. */
  readonly signatures: ReadonlyMap<string, string>;
  /** Who writes from here on, by the id of the message it begins with. */
  readonly handovers: ReadonlyMap<string, string>;
}

interface Writer {
  /** Equal for all levels of one model, as far as that is known. */
  readonly family: string;
  readonly name: string;
  readonly level: string | null;
}

type FileOf = (modelId: string) => ModelFile | null;

/** `fileOf`: the file a model id stands for, `null` where it is not listed any more. Answers of nobody known are passed over. */
export function writersOf(messages: readonly Message[], fileOf: FileOf): Writers {
  const answers = messages.filter(({ role, modelName }) => role === "assistant" && modelName !== null);
  const known = writersByFile(answers, fileOf);
  const written = answers.flatMap((answer) => {
    const writer = known.get(answer.modelName ?? "");
    return writer === undefined ? [] : [{ answer, writer: { ...writer, level: answer.modelLevel ?? writer.level } }];
  });
  const isOneModel = new Set(written.map(({ writer }) => writer.family)).size <= 1;
  const nameOf = ({ name, level }: Writer) => (isOneModel && level !== null ? level : withLevel(name, level));
  const questions = questionsOf(messages);
  const handovers = new Map<string, string>();
  for (const [index, { answer, writer }] of written.entries()) {
    const before = written[index - 1]?.writer;
    if (before !== undefined && !isSame(before, writer))
      handovers.set(questions.get(answer.id) ?? answer.id, nameOf(writer));
  }
  // Where one wrote all that is in sight, other versions of an answer may still be another's.
  const signed = handovers.size > 0 ? written : written.filter(({ answer }) => answer.siblingIds.length > 1);
  return { signatures: new Map(signed.map(({ answer, writer }) => [answer.id, nameOf(writer)])), handovers };
}

/** By the name of the file, which is all that older answers have. */
function writersByFile(answers: readonly Message[], fileOf: FileOf): ReadonlyMap<string, Writer> {
  const writers = new Map<string, Writer>();
  const lookedUp = new Set<string>();
  for (const { modelName, modelId, modelLevel } of answers) {
    if (modelName === null || lookedUp.has(modelName) || (writers.has(modelName) && modelId === null)) continue;
    const file = modelId === null ? null : fileOf(modelId);
    if (modelId !== null) lookedUp.add(modelName);
    writers.set(modelName, {
      family: file?.familyId ?? modelName,
      name: file?.name ?? modelName,
      level: modelLevel ?? file?.summary?.quantization ?? null,
    });
  }
  return writers;
}

/** The question right before an answer, by the answer's id. */
function questionsOf(messages: readonly Message[]): ReadonlyMap<string, string> {
  return new Map(
    messages.flatMap((message, index) => {
      const before = messages[index - 1];
      return message.role === "assistant" && before?.role === "user" ? [[message.id, before.id] as const] : [];
    }),
  );
}

function isSame(one: Writer, other: Writer): boolean {
  return one.family === other.family && one.level === other.level;
}
