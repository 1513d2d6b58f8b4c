/** The time as part of a file name that every system accepts and that sorts by date: `2026-11-29T10-11-12-345Z`. */
export function fileTimeStamp(time: Date): string {
  return time.toISOString().replaceAll(/[:.]/g, "-");
}
