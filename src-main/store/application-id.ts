/** SQLite's `application_id` of a Reprise database ("RPRS"): tells ours from another program's file of the same name. */
export const applicationId = 0x52505253;
