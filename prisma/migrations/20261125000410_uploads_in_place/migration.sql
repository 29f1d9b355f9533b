-- AlterTable
ALTER TABLE "uploads" ADD COLUMN     "account_id" UUID,
ALTER COLUMN "group_cloud_id" DROP NOT NULL;

-- CreateTable
CREATE TABLE "account_uploads" (
    "file_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "on_conflict" "OnConflict" NOT NULL,
    "replaced_id" UUID,
    "replaced_revision" TEXT,
    "deferred" TEXT[] DEFAULT ARRAY[]::TEXT[],

    CONSTRAINT "account_uploads_pkey" PRIMARY KEY ("file_id")
);

-- CreateIndex
CREATE INDEX "account_uploads_account_id_idx" ON "account_uploads"("account_id");

-- AddForeignKey
ALTER TABLE "account_uploads" ADD CONSTRAINT "account_uploads_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "files"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account_uploads" ADD CONSTRAINT "account_uploads_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A file that is being stored in an account is staged here until the account has it.
ALTER TABLE "files" DROP CONSTRAINT "files_in_place_check";
ALTER TABLE "files" ADD CONSTRAINT "files_in_place_check" CHECK ("account_id" IS NULL OR ("settling" IS NULL
  AND "group_cloud_id" IS NULL));

-- Jobs that change many entries of accounts.
ALTER TYPE "FileJobKind" ADD VALUE 'TRASH';
ALTER TYPE "FileJobKind" ADD VALUE 'RESTORE';
ALTER TYPE "FileJobKind" ADD VALUE 'DELETE';
