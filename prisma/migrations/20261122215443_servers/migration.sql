-- AlterTable
ALTER TABLE "uploads" ADD COLUMN     "received_bytes" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "servers" (
    "id" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "heartbeat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "steady_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "worker" TEXT,
    "receiving" UUID[] DEFAULT ARRAY[]::UUID[],

    CONSTRAINT "servers_pkey" PRIMARY KEY ("id")
);
