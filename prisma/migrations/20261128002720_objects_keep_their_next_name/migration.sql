-- AlterTable
ALTER TABLE "object_removals" ADD COLUMN     "renamed_to" TEXT,
ADD COLUMN     "sha256" BYTEA;

-- AlterTable
ALTER TABLE "pieces" ADD COLUMN     "renamed_to" TEXT;
