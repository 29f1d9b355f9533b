-- AlterTable
ALTER TABLE "activities" ADD COLUMN     "file_ids" UUID[] DEFAULT ARRAY[]::UUID[];

-- What was written down before: of several files at once, only the first is known.
UPDATE "activities" SET "file_ids" = ARRAY["subject_id"] WHERE "subject_type" = 'File' AND "subject_id" IS NOT NULL;
UPDATE "activities" a SET "file_ids" = ARRAY[s."file_id"] FROM "shares" s
  WHERE a."subject_type" = 'Share' AND s."id" = a."subject_id" AND s."file_id" IS NOT NULL;

-- CreateIndex
CREATE INDEX "activities_file_ids_idx" ON "activities" USING GIN ("file_ids");
