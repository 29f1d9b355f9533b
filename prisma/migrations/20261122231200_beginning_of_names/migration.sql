-- One and two letters have no trigram: they are looked for at the beginning of names.
CREATE INDEX "files_beginning" ON "files" ("user_id", left("search_key", 2), "sort_key", "id")
  WHERE "purged_at" IS NULL AND "trash_root_id" IS NULL;
