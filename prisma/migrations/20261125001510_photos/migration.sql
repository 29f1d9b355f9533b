-- What is known of a picture once its thumbnail was made.
ALTER TABLE "files" ADD COLUMN     "taken_at" TIMESTAMPTZ(3),
ADD COLUMN     "picture_width" INTEGER,
ADD COLUMN     "picture_height" INTEGER;

-- Photos and videos by the time they were taken, else changed: of everything, and of one folder.
CREATE INDEX "files_photos" ON "files" ("user_id", coalesce("taken_at", "updated_at"), "id")
  WHERE "category" IN ('IMAGE', 'VIDEO') AND "trash_root_id" IS NULL AND "purged_at" IS NULL;
CREATE INDEX "files_folder_photos"
  ON "files" ("user_id", coalesce("parent_id", '00000000-0000-0000-0000-000000000000'::uuid), coalesce("taken_at", "updated_at"), "id")
  WHERE "category" IN ('IMAGE', 'VIDEO') AND "trashed_at" IS NULL AND "purged_at" IS NULL;
