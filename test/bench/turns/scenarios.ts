/** What people do, written once and played on both sides. */
import { setTimeout as elapsed } from "node:timers/promises";
import type { PromptTexts } from "./prompt-texts.ts";
import type { Chat, Side, Turn } from "./side.ts";

/** Enough to see that it goes on, little enough for many turns in one conversation. */
const answerTokens = 16;
const decodedTokens = 64;
const decodedAnswers = 5;
/** In a round. */
const nextTurns = 4;
const warmConversations = 8;
const longTurns = 100;
const typingMs = 10_000;
const openedBeforeMs = 1_000;

interface Step {
  readonly step: string;
  readonly turn: Turn;
  /** Bytes the turn brought to disk, until nothing was left to write; `null` where it was not waited for. */
  readonly writtenBytes: number | null;
}

/** Plays a round; steps with the same place in two rounds or on two sides are pairs. */
type Play = (round: number) => Promise<readonly Step[]>;

export interface Scenario {
  /** Fewer rounds than asked for, where one says enough. */
  readonly mostRounds?: number;
  readonly oursOnly?: boolean;
  readonly start: (side: Side, texts: PromptTexts) => Promise<Play>;
}

export const scenarios: Readonly<Record<string, Scenario>> = {
  turns: { start: (side, texts) => Promise.resolve((round) => playTurns(side, texts, 100 + round)) },
  next: { start: startNext },
  paste: { start: (side, texts) => Promise.resolve((round) => playPaste(side, texts, 300 + round)) },
  switching: { start: startSwitching },
  long: { mostRounds: 1, start: (side, texts) => Promise.resolve(() => playLong(side, texts, 500)) },
  restart: { start: (side, texts) => Promise.resolve((round) => playRestart(side, texts, 600 + round)) },
  decode: { oursOnly: true, start: startDecode },
};

async function playTurns(side: Side, texts: PromptTexts, which: number): Promise<Step[]> {
  const chat = await side.newChat({ maxTokens: answerTokens });
  const other = await side.newChat({ maxTokens: answerTokens });
  return [
    await taken(side, "cold", () => chat.send(texts.document(which))),
    await taken(side, "next turn", () => chat.send(texts.message(which, 1))),
    await taken(side, "branch", () => chat.edit(texts.message(which, 2))),
    await taken(side, "regenerate", () => chat.regenerate()),
    await taken(side, "same document, new chat", () => other.send(texts.document(which, texts.message(which, 3)))),
  ];
}

/** One conversation, so that there are many turns to compare for one cold one. */
async function startNext(side: Side, texts: PromptTexts): Promise<Play> {
  const chat = await side.newChat({ maxTokens: answerTokens });
  await chat.send(texts.document(200));
  return async (round) => {
    const steps: Step[] = [];
    for (let turn = 1; turn <= nextTurns; turn += 1) {
      const message = texts.message(200, round * nextTurns + turn);
      steps.push(await taken(side, "next turn", () => chat.send(message)));
    }
    return steps;
  };
}

/** The document is pasted, then a question typed below it; whoever works ahead can do so meanwhile. */
async function playPaste(side: Side, texts: PromptTexts, which: number): Promise<Step[]> {
  const chat = await side.newChat({ maxTokens: answerTokens });
  const [document, question] = [texts.document(which, ""), texts.message(which, 1)];
  if (side.worksAhead) {
    await side.settled();
    chat.draft(document, true);
    for (let typed = 1; typed <= question.length; typed += 1) {
      await elapsed(typingMs / question.length);
      chat.draft(document + question.slice(0, typed), false);
    }
  }
  return [step("paste, type, send", await chat.send(document + question))];
}

async function startSwitching(side: Side, texts: PromptTexts): Promise<Play> {
  const chats = await manyChats(side, texts, 400);
  return async (round) => {
    const steps: Step[] = [];
    for (const [index, chat] of chats.entries()) {
      const message = (turn: number) => texts.message(400 + index, round * 10 + turn);
      await side.settled();
      steps.push(await (round % 2 === 0 ? sendAtOnce(chat, message(1)) : openThenSend(chat, message(1))));
      await side.settled();
      const next = round % 2 === 0 ? "next turn after the switch" : "next turn after opening";
      steps.push(step(next, await chat.send(message(2))));
    }
    return steps;
  };
}

async function sendAtOnce(chat: Chat, text: string): Promise<Step> {
  return step("switch, send at once", await chat.send(text));
}

async function openThenSend(chat: Chat, text: string): Promise<Step> {
  const opening = chat.open();
  await elapsed(openedBeforeMs);
  const turn = await chat.send(text);
  await opening;
  return step("opened a second before", turn);
}

async function playLong(side: Side, texts: PromptTexts, which: number): Promise<Step[]> {
  const chat = await side.newChat({ maxTokens: answerTokens });
  const steps: Step[] = [];
  for (let turn = 1; turn <= longTurns; turn += 1) {
    steps.push(await taken(side, `turn ${turn}`, () => chat.send(texts.message(which, turn))));
  }
  return steps;
}

async function playRestart(side: Side, texts: PromptTexts, which: number): Promise<Step[]> {
  const chat = await side.newChat({ maxTokens: answerTokens });
  await chat.send(texts.document(which));
  const before = await taken(side, "next turn before the restart", () => chat.send(texts.message(which, 1)));
  await side.restart();
  return [before, await taken(side, "after the restart", () => chat.send(texts.message(which, 2)))];
}

/**
 * Alone, then with the others used before it, in one and the same process: two of them differ by more than the limit
 * allows, for reasons of their own. It begins anew each round, so that nothing of the others is left in it.
 */
async function startDecode(side: Side, texts: PromptTexts): Promise<Play> {
  const active = await side.newChat({ maxTokens: decodedTokens });
  await active.send(texts.document(700, "Go on with this register, as long as you can."));
  const warm = await manyChats(side, texts, 701);
  return async (round) => {
    await side.restart();
    const alone = await decoding(side, active, "decode alone");
    for (const [index, chat] of warm.entries()) {
      await chat.send(texts.message(701 + index, round));
      await side.settled();
    }
    return [...alone, ...(await decoding(side, active, "decode with 8 warm"))];
  };
}

/** The first answer also puts the conversation in place, and is not counted. */
async function decoding(side: Side, chat: Chat, name: string): Promise<Step[]> {
  await chat.regenerate();
  const steps: Step[] = [];
  for (let time = 0; time < decodedAnswers; time += 1) {
    await side.settled();
    steps.push(step(name, await chat.regenerate()));
  }
  return steps;
}

async function manyChats(side: Side, texts: PromptTexts, which: number): Promise<Chat[]> {
  const chats: Chat[] = [];
  for (let index = 0; index < warmConversations; index += 1) {
    const chat = await side.newChat({ maxTokens: answerTokens });
    await chat.send(texts.document(which + index));
    chats.push(chat);
  }
  return chats;
}

function step(name: string, turn: Turn): Step {
  return { step: name, turn, writtenBytes: null };
}

/** The turn begins when nothing is left to do of the one before, as after a person's pause. */
async function taken(side: Side, name: string, take: () => Promise<Turn>): Promise<Step> {
  const before = await side.settled();
  const turn = await take();
  const after = await side.settled();
  return { step: name, turn, writtenBytes: before === null || after === null ? null : after - before };
}
