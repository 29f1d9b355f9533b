-- AlterTable
ALTER TABLE "pieces" ADD COLUMN     "missing_since" TIMESTAMPTZ(3);
