-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "paused_until" TIMESTAMPTZ(3),
ADD COLUMN     "writes_paused_until" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "copies" ADD COLUMN     "suspect_block" INTEGER,
ADD COLUMN     "suspect_reads" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "suspect_since" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "transfers" ADD COLUMN     "refusals" JSONB,
ADD COLUMN     "stopped_at" TIMESTAMPTZ(3),
ADD COLUMN     "waits_for" TEXT;
