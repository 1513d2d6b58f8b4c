const prefix = "unknown-";

/** Stands for the content of a file of which nothing is known. `id`: no other such file has it. */
export function unknownHash(id: string): string {
  return `${prefix}${id}`;
}

export function isUnknownHash(weights: string): boolean {
  return weights.startsWith(prefix);
}
