-- AlterTable
ALTER TABLE "account_indexes" ADD COLUMN     "roots" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "last_entries" INTEGER;
