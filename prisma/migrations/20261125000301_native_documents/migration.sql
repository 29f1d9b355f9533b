-- AlterTable
ALTER TABLE "account_entries" ADD COLUMN     "export_types" TEXT;

-- AlterTable
ALTER TABLE "files" ADD COLUMN     "native" BOOLEAN NOT NULL DEFAULT false;

UPDATE "files" f SET "native" = true FROM "account_entries" e WHERE e."file_id" = f."id" AND e."native_kind" IS NOT NULL;
