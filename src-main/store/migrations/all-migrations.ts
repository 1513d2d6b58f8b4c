import { initial } from "./0001-initial.ts";
import { search } from "./0002-search.ts";
import { leftOut } from "./0003-left-out.ts";
import { quarantine } from "./0004-quarantine.ts";
import { modelLibrary } from "./0005-model-library.ts";
import { answerModels } from "./0006-answer-models.ts";
import { predictions } from "./0007-predictions.ts";
import type { Migration } from "./migration.ts";

/** In order, without gaps. */
export const allMigrations: readonly Migration[] = [
  initial,
  search,
  leftOut,
  quarantine,
  modelLibrary,
  answerModels,
  predictions,
];

/** What a database is brought to; beyond it, a newer Reprise wrote it. */
export const supportedVersion = allMigrations.length;
