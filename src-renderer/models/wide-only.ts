/** Of the cells of a table of levels that there is no room for on a narrow screen. */
export const wideOnly = "@max-2xl:hidden";
