-- As files_in_group_cloud, for what is counted of a group cloud's files.
CREATE INDEX CONCURRENTLY "files_counted_of_group_cloud" ON "files" ("group_cloud_id", "state") INCLUDE ("size")
  WHERE "kind" = 'FILE' AND "group_cloud_id" IS NOT NULL AND "trash_root_id" IS NULL AND "purged_at" IS NULL;
