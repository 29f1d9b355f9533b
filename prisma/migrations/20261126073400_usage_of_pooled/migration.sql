-- Usage counts what Skypool stores: of that alone, the index has everything that is read.
CREATE INDEX CONCURRENTLY "files_stored_usage" ON "files" ("user_id", "category") INCLUDE ("size", "is_version")
  WHERE "kind" = 'FILE' AND "purged_at" IS NULL AND "account_id" IS NULL;
