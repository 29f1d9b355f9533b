-- AlterTable
ALTER TABLE "shares" ADD COLUMN     "unavailable_reported_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "uploads" ADD COLUMN     "resumable" BOOLEAN NOT NULL DEFAULT true;
