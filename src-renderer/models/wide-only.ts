/** Of the cells of a table of levels that there is no room for on a narrow screen. */
export const wideOnly = "@max-2xl:hidden";

/** Of those that also a table beside an open list has no room for. */
export const widestOnly = "@max-3xl:hidden";
