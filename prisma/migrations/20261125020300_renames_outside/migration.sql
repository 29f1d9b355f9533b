-- AlterTable
ALTER TABLE "account_entries" ADD COLUMN     "found_in" INTEGER NOT NULL DEFAULT 0;
