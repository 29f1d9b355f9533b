-- Lists of one account, and of what Skypool stores (no account), without reading the entries of other accounts.
CREATE INDEX "files_by_account" ON "files" ("user_id", "account_id", "updated_at", "id")
  WHERE "trash_root_id" IS NULL AND "purged_at" IS NULL;
