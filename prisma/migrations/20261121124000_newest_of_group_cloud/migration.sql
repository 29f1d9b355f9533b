-- DropIndex
DROP INDEX "files_group_cloud_id_idx";

-- CreateIndex
CREATE INDEX "files_group_cloud_id_id_idx" ON "files"("group_cloud_id", "id");
