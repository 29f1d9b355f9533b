-- AlterTable
ALTER TABLE "users" ADD COLUMN     "keep_versions_days" INTEGER NOT NULL DEFAULT 30,
ADD COLUMN     "most_versions" INTEGER NOT NULL DEFAULT 100;

-- AlterTable
ALTER TABLE "files" ADD COLUMN     "is_version" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "file_versions" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "user_id" UUID NOT NULL,
    "file_id" UUID NOT NULL,
    "content_id" UUID NOT NULL,
    "size" BIGINT NOT NULL,
    "sha256" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),
    "source" TEXT NOT NULL,
    "key_name" TEXT,
    "restored_from" TIMESTAMPTZ(3),

    CONSTRAINT "file_versions_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "file_versions_file_id_created_at_idx" ON "file_versions"("file_id", "created_at");

-- CreateIndex
CREATE INDEX "file_versions_content_id_idx" ON "file_versions"("content_id");

-- CreateIndex
CREATE INDEX "file_versions_user_id_idx" ON "file_versions"("user_id");

-- CreateIndex
CREATE INDEX "file_versions_ended_at_idx" ON "file_versions"("ended_at");

-- AddForeignKey
ALTER TABLE "file_versions" ADD CONSTRAINT "file_versions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "file_versions" ADD CONSTRAINT "file_versions_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "files"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "file_versions" ADD CONSTRAINT "file_versions_content_id_fkey" FOREIGN KEY ("content_id") REFERENCES "files"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A file has one current version.
CREATE UNIQUE INDEX "file_versions_current" ON "file_versions" ("file_id") WHERE "ended_at" IS NULL;

-- The contents of earlier versions are counted apart.
DROP INDEX "files_usage";
CREATE INDEX "files_usage" ON "files" ("user_id", "category") INCLUDE ("size", "is_version") WHERE "kind" = 'FILE' AND "purged_at" IS NULL;
