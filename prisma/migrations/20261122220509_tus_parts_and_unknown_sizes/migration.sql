-- AlterTable
ALTER TABLE "uploads" ADD COLUMN     "concat" TEXT,
ADD COLUMN     "final_id" UUID,
ALTER COLUMN "size" DROP NOT NULL;
