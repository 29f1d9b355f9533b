-- AlterTable
ALTER TABLE "account_entries" ADD COLUMN     "looked_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "account_indexes" ADD COLUMN     "looked_at" TIMESTAMPTZ(3),
ADD COLUMN     "own_changes" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "walked" BOOLEAN NOT NULL DEFAULT false;
