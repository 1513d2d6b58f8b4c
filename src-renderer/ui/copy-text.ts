/** Puts text on the clipboard; in the old way where the browser refuses the new one. Returns whether it worked. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "fixed opacity-0";
  document.body.append(field);
  field.select();
  // Deprecated, and the only way left where the clipboard is not permitted.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const copied = document.execCommand("copy");
  field.remove();
  return copied;
}
