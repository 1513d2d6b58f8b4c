/** What of a keyboard event this needs. */
interface FieldKeyPress {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly isComposing: boolean;
  readonly keyCode: number;
}

/** What browsers that do not set `isComposing` in time give for every key of a character that is being composed. */
const composingKeyCode = 229;

/**
 * Whether a key press sends what is typed. Enter that ends the composing of a character (Chinese, Japanese, Korean
 * input) never does.
 */
export function sendsOn(press: FieldKeyPress, enterSends: boolean): boolean {
  if (press.key !== "Enter" || press.isComposing || press.keyCode === composingKeyCode) return false;
  if (press.ctrlKey || press.metaKey) return true;
  return enterSends && !press.shiftKey && !press.altKey;
}
