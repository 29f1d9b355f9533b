-- AlterEnum
ALTER TYPE "FileJobKind" ADD VALUE 'PROTECT';

-- AlterTable
ALTER TABLE "files" ADD COLUMN     "protected_account_id" UUID,
ADD COLUMN     "wanted_copies" INTEGER;

-- AlterTable
ALTER TABLE "uploads" ADD COLUMN     "protected_account_id" UUID,
ADD COLUMN     "wanted_copies" INTEGER;

-- CreateTable
CREATE TABLE "protections" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "folder_id" UUID NOT NULL,
    "group_cloud_id" UUID NOT NULL,
    "container_id" UUID NOT NULL,
    "copies" INTEGER NOT NULL,
    "keep_versions_days" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "protections_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "protected_versions" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "protection_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "file_id" UUID NOT NULL,
    "content_id" UUID,
    "version" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "job_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),
    "reason" TEXT,
    "name" TEXT NOT NULL DEFAULT '',
    "parent_id" UUID,
    "path" TEXT[] DEFAULT ARRAY[]::TEXT[],

    CONSTRAINT "protected_versions_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "protections_folder_id_key" ON "protections"("folder_id");

-- CreateIndex
CREATE UNIQUE INDEX "protections_container_id_key" ON "protections"("container_id");

-- CreateIndex
CREATE INDEX "protections_user_id_idx" ON "protections"("user_id");

-- CreateIndex
CREATE INDEX "protections_account_id_idx" ON "protections"("account_id");

-- CreateIndex
CREATE INDEX "protections_group_cloud_id_idx" ON "protections"("group_cloud_id");

-- CreateIndex
CREATE UNIQUE INDEX "protected_versions_content_id_key" ON "protected_versions"("content_id");

-- CreateIndex
CREATE INDEX "protected_versions_protection_id_ended_at_idx" ON "protected_versions"("protection_id", "ended_at");

-- CreateIndex
CREATE INDEX "protected_versions_file_id_idx" ON "protected_versions"("file_id");

-- CreateIndex
CREATE INDEX "protected_versions_parent_id_idx" ON "protected_versions"("parent_id");

-- CreateIndex
CREATE INDEX "protected_versions_account_id_idx" ON "protected_versions"("account_id");

-- AddForeignKey
ALTER TABLE "protections" ADD CONSTRAINT "protections_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "protections" ADD CONSTRAINT "protections_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "protections" ADD CONSTRAINT "protections_group_cloud_id_fkey" FOREIGN KEY ("group_cloud_id") REFERENCES "group_clouds"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "protected_versions" ADD CONSTRAINT "protected_versions_protection_id_fkey" FOREIGN KEY ("protection_id") REFERENCES "protections"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "protected_versions" ADD CONSTRAINT "protected_versions_content_id_fkey" FOREIGN KEY ("content_id") REFERENCES "files"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- One current version per file.
CREATE UNIQUE INDEX "protected_versions_current" ON "protected_versions" ("file_id") WHERE "ended_at" IS NULL;
-- What is still to be stored.
CREATE INDEX "protected_versions_waiting" ON "protected_versions" ("account_id") WHERE "content_id" IS NULL;
-- What is to be deleted after its days.
CREATE INDEX "protected_versions_ended" ON "protected_versions" ("ended_at") WHERE "ended_at" IS NOT NULL;

-- Protecting copies are in no list: they are marked like entries below a trashed one, but never in the trash themselves.
ALTER TABLE "files" ADD CONSTRAINT "files_protecting_check" CHECK ("protected_account_id" IS NULL
  OR ("account_id" IS NULL AND "trashed_at" IS NULL AND "trash_root_id" IS NOT NULL));
