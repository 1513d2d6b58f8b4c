/** The columns of the levels in the menu: digit, level, size, memory, reading and writing speed. */
export const levelColumns =
  "gap-x-2 grid-cols-[1.25rem_minmax(0,1fr)_4.25rem_4.25rem_4rem_4rem] max-[34rem]:grid-cols-[1.25rem_minmax(0,1fr)_4rem_3.5rem_3.75rem]";
