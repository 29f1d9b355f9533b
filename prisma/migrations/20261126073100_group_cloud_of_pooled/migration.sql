-- Only what is stored in a group cloud: what lies in accounts is in none, and can be most of the files.
CREATE INDEX CONCURRENTLY "files_in_group_cloud" ON "files" ("group_cloud_id", "id") WHERE "group_cloud_id" IS NOT NULL;
