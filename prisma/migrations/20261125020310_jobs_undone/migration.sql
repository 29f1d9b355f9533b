-- AlterTable
ALTER TABLE "file_jobs" ADD COLUMN     "undone_at" TIMESTAMPTZ(3);
