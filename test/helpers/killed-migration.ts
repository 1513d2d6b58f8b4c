/** Upgrades the database it is given and is killed in the middle of the step to version 2. */
import Database from "better-sqlite3";
import { migrate } from "../../src-main/store/migrate.ts";
import { initial } from "../../src-main/store/migrations/0001-initial.ts";

const database = new Database(process.argv[2]);
const killedHalfway = {
  version: 2,
  up: () => {
    database.exec("DELETE FROM conversation; CREATE TABLE half_done (id TEXT) STRICT");
    process.kill(process.pid, "SIGKILL");
  },
};
process.stdout.write("migrating\n");
migrate(database, [initial, killedHalfway], () => undefined);
