-- CreateEnum
CREATE TYPE "FileJobKind" AS ENUM ('COPY', 'MOVE');

-- CreateEnum
CREATE TYPE "FileJobState" AS ENUM ('WAITING', 'RUNNING', 'PAUSED', 'DONE', 'FAILED', 'CANCELLED');

-- CreateEnum
CREATE TYPE "FileJobItemState" AS ENUM ('WAITING', 'CARRIED', 'DONE', 'FAILED', 'SKIPPED');

-- CreateTable
CREATE TABLE "file_jobs" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" "FileJobKind" NOT NULL,
    "state" "FileJobState" NOT NULL DEFAULT 'WAITING',
    "phase" TEXT NOT NULL DEFAULT 'LIST',
    "parent_id" UUID,
    "group_cloud_id" UUID,
    "on_conflict" "OnConflict" NOT NULL DEFAULT 'RENAME',
    "name" TEXT NOT NULL,
    "done_items" INTEGER NOT NULL DEFAULT 0,
    "total_items" INTEGER NOT NULL DEFAULT 0,
    "failed_items" INTEGER NOT NULL DEFAULT 0,
    "done_bytes" BIGINT NOT NULL DEFAULT 0,
    "total_bytes" BIGINT NOT NULL DEFAULT 0,
    "error" TEXT,
    "next_try_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "file_jobs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "file_job_items" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "job_id" UUID NOT NULL,
    "parent_item_id" UUID,
    "level" INTEGER NOT NULL DEFAULT 0,
    "position" BIGSERIAL NOT NULL,
    "source_id" UUID NOT NULL,
    "kind" "FileKind" NOT NULL,
    "name" TEXT NOT NULL,
    "size" BIGINT NOT NULL DEFAULT 0,
    "state" "FileJobItemState" NOT NULL DEFAULT 'WAITING',
    "made_id" UUID,
    "version" TEXT,
    "session" TEXT,
    "sent_bytes" BIGINT NOT NULL DEFAULT 0,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_try_at" TIMESTAMPTZ(3),
    "detail" TEXT,

    CONSTRAINT "file_job_items_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "file_jobs_user_id_created_at_idx" ON "file_jobs"("user_id", "created_at");

-- CreateIndex
CREATE INDEX "file_job_items_job_id_state_kind_position_idx" ON "file_job_items"("job_id", "state", "kind", "position");

-- CreateIndex
CREATE INDEX "file_job_items_parent_item_id_idx" ON "file_job_items"("parent_item_id");

-- AddForeignKey
ALTER TABLE "file_jobs" ADD CONSTRAINT "file_jobs_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "file_job_items" ADD CONSTRAINT "file_job_items_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "file_jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;
