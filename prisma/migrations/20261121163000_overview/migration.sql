-- CreateIndex
CREATE INDEX "activities_user_id_action_at_idx" ON "activities"("user_id", "action", "at");

-- What the files of each type take, read from this alone.
CREATE INDEX "files_usage" ON "files" ("user_id", "category") INCLUDE ("size") WHERE "kind" = 'FILE' AND "purged_at" IS NULL;
