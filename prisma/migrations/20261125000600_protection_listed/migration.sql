-- AlterTable
ALTER TABLE "protections" ADD COLUMN     "listed" BOOLEAN NOT NULL DEFAULT false;

-- The files of the protections so far have been listed.
UPDATE "protections" SET "listed" = true;
