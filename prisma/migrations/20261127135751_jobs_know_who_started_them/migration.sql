-- AlterTable
ALTER TABLE "file_jobs" ADD COLUMN     "started_by_key_id" UUID,
ADD COLUMN     "started_by_session_id" UUID;
