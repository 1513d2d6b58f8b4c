import type { ModelDownload } from "../../src-main/contract/hub.ts";
import { errorText } from "../errors/error-text.ts";
import { formatBytes, formatWholeDuration } from "../format/numbers.ts";
import { m } from "../paraglide/messages.js";

/** How far a model is: one line. */
export function downloadText(download: ModelDownload): string {
  const { state, doneBytes, totalBytes, bytesPerSecond, secondsLeft, error } = download;
  const amount = m.fetch_amount({ received: formatBytes(doneBytes), total: formatBytes(totalBytes) });
  switch (state) {
    case "queued":
      return m.download_queued({ amount });
    case "paused":
      return m.download_paused({ amount });
    case "verifying":
      return m.download_verifying();
    case "failed":
      return error === null ? m.download_paused({ amount }) : errorText(error);
    case "running":
      return [
        amount,
        ...(bytesPerSecond === null ? [] : [m.bytes_per_second({ bytes: formatBytes(bytesPerSecond) })]),
        ...(secondsLeft === null ? [] : [m.time_left({ left: formatWholeDuration(secondsLeft * 1_000) })]),
      ].join(" · ");
  }
}

/** From 0 to 1; `null` while the checking goes on, whose progress nobody tells. */
export function downloadFraction({ state, doneBytes, totalBytes }: ModelDownload): number | null {
  if (state === "verifying") return null;
  return totalBytes === 0 ? 0 : doneBytes / totalBytes;
}
