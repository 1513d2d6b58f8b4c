/** Names that a stranger gives become folders and files here, on every system: what could lead elsewhere is refused. */

/** As the hub allows them for owners and repositories. */
const segment = String.raw`[\w](?:[\w.-]*[\w-])?`;
const repository = new RegExp(`^${segment}/${segment}$`);

/** Reserved on Windows, with any ending. */
const device = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;

/** `owner/name`, also out of the address of its page; `null` for what is none. */
export function readRepositoryName(text: string): string | null {
  const path = text
    .trim()
    .replace(/^(https?:\/\/)?(www\.)?(huggingface\.co|hf\.co)\//i, "")
    .replace(/\/+$/, "");
  const name = path.split("/").slice(0, 2).join("/");
  const isPage = path === name || /^[^/]+\/[^/]+\/(tree|blob|resolve)\//.test(path);
  return isPage && repository.test(name) && isSafePath(name) ? name : null;
}

/** Whether each segment is a name that every system takes, and that the models folder lists. */
export function isSafePath(path: string): boolean {
  return path
    .split("/")
    .every(
      (name) => /^[^.\s\\/:*?"<>|\p{Cc}][^\\/:*?"<>|\p{Cc}]*$/u.test(name) && !/[. ]$/.test(name) && !device.test(name),
    );
}
