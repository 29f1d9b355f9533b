-- Only what is in the trash, which is little.
CREATE INDEX CONCURRENTLY "files_in_trash_with" ON "files" ("trash_root_id") WHERE "trash_root_id" IS NOT NULL;
