/** Of the cells of a table of levels that there is no room for on a narrow screen. */
export const wideOnly = "@max-2xl:hidden";

/** Of those that a table beside an open list has no room for either. The column stays, so that what spans all still does. */
export const widestOnly = "@max-3xl:invisible @max-3xl:w-0 @max-3xl:px-0 @max-3xl:*:hidden";
