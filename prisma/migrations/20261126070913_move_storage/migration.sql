-- AlterTable
ALTER TABLE "servers" ADD COLUMN     "storages" TEXT;

-- CreateTable
CREATE TABLE "storage_moves" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "target" TEXT NOT NULL,
    "storages" TEXT NOT NULL,
    "begun_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "storage_moves_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "moving_objects" (
    "id" UUID NOT NULL,
    "copied" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "moving_objects_pkey" PRIMARY KEY ("id")
);
