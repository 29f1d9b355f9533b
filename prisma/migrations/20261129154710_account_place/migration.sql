-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "place" TEXT;
