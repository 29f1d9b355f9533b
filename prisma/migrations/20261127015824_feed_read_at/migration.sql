-- AlterTable
ALTER TABLE "account_feeds" ADD COLUMN     "read_at" TIMESTAMPTZ(3);
