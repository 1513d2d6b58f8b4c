/** Token ids as they are stored: unsigned 32-bit integers, little-endian. */
export function encodeTokens(tokens: readonly number[]): Buffer {
  const blob = Buffer.allocUnsafe(tokens.length * 4);
  tokens.forEach((token, index) => blob.writeUInt32LE(token, index * 4));
  return blob;
}

export function decodeTokens(blob: Buffer): number[] {
  return Array.from({ length: blob.length / 4 }, (_, index) => blob.readUInt32LE(index * 4));
}
