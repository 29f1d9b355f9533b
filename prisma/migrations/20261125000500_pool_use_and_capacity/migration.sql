-- CreateEnum
CREATE TYPE "PoolUse" AS ENUM ('FULL', 'EXTRA_COPIES', 'NONE');

-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "capacity_bytes" BIGINT,
ADD COLUMN     "pool_use" "PoolUse" NOT NULL DEFAULT 'FULL';

-- AlterTable
ALTER TABLE "group_cloud_members" ADD COLUMN     "allow_only_copy" BOOLEAN NOT NULL DEFAULT false;
