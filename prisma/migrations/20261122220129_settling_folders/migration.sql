-- AlterTable
ALTER TABLE "files" ADD COLUMN     "settling" UUID;

-- Asked by every list; empty but for seconds.
CREATE INDEX "files_settling" ON "files" ("user_id") WHERE "settling" IS NOT NULL;
