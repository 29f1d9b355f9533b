-- AlterTable
ALTER TABLE "files" ADD COLUMN     "copied_from" UUID;
