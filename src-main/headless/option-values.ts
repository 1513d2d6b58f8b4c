/** Values given on the command line, read and checked against what the contract allows. */
import { InvalidArgumentError } from "commander";
import { samplingSchema } from "../contract/conversation.ts";

const { temperature, seed, maxTokens } = samplingSchema.shape;

function readNumber(text: string, isAllowed: (value: number) => boolean, expected: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!isAllowed(value)) throw new InvalidArgumentError(`Expected ${expected}.`);
  return value;
}

export function readTemperature(text: string): number {
  return readNumber(text, (value) => temperature.safeParse(value).success, "a number from 0 to 5");
}

export function readSeed(text: string): number {
  return readNumber(text, (value) => seed.safeParse(value).success, "a whole number from 0 to 4294967295");
}

export function readMaxTokens(text: string): number {
  return readNumber(text, (value) => maxTokens.safeParse(value).success, "a whole number from 1");
}

export function readCount(text: string): number {
  return readNumber(text, (value) => Number.isSafeInteger(value) && value >= 1, "a whole number from 1");
}

export function readPort(text: string): number {
  const isPort = (value: number) => Number.isInteger(value) && value >= 0 && value <= 65_535;
  return readNumber(text, isPort, "a port number from 1 to 65535, or 0 for any free one");
}
