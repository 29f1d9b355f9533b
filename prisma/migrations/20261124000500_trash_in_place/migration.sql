-- AlterTable
ALTER TABLE "unplaced_entries" ADD COLUMN     "changed_in" INTEGER NOT NULL DEFAULT 0;

-- Entries in place can be in the trash. They are never in a group cloud or staged, and no job settles them.
ALTER TABLE "files" DROP CONSTRAINT "files_in_place_check";
ALTER TABLE "files" ADD CONSTRAINT "files_in_place_check" CHECK ("account_id" IS NULL OR ("settling" IS NULL
  AND "group_cloud_id" IS NULL AND "staged_ref" IS NULL));
