import { z } from "zod";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** One character of Crockford's base 32 for each byte. */
export function idFromBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => alphabet.charAt(byte % 32)).join("");
}

/** As `newId` makes them. */
export const idSchema = z.string().regex(/^[0-9a-hjkmnp-tv-z]{12}$/);

/** A new id: 12 characters (60 random bits), short enough to be typed on a command line. */
export function newId(): string {
  return idFromBytes(crypto.getRandomValues(new Uint8Array(12)));
}
