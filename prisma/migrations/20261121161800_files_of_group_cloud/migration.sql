-- What schema.prisma cannot say: what is counted of a group cloud's files, without reading any of them.
CREATE INDEX "files_of_group_cloud" ON "files" ("group_cloud_id", "state") INCLUDE ("size")
  WHERE "kind" = 'FILE' AND "trash_root_id" IS NULL AND "purged_at" IS NULL;
