/** How a process of Reprise ends, for the process that started it. */
export const exitCodes = {
  success: 0,
  failure: 1,
  /** The desktop app could not open, and has told the person why. */
  saidWhyItCannotStart: 3,
} as const;
