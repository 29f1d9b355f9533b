-- CreateEnum
CREATE TYPE "PieceState" AS ENUM ('PLANNED', 'STORED');

-- CreateEnum
CREATE TYPE "QuotaState" AS ENUM ('KNOWN', 'UNLIMITED', 'UNKNOWN');

-- CreateEnum
CREATE TYPE "TransferKind" AS ENUM ('STORE', 'REPAIR', 'MOVE', 'DRAIN');

-- CreateEnum
CREATE TYPE "TransferState" AS ENUM ('WAITING', 'RUNNING', 'PAUSED', 'PARKED', 'DONE', 'FAILED', 'CANCELLED');

-- DropForeignKey
ALTER TABLE "uploads" DROP CONSTRAINT "uploads_account_id_fkey";

-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "disconnected_at" TIMESTAMPTZ(3),
ADD COLUMN     "home_ref" TEXT,
ADD COLUMN     "provider_account_id" TEXT,
ADD COLUMN     "quota_checked_at" TIMESTAMPTZ(3),
ADD COLUMN     "quota_state" "QuotaState" NOT NULL DEFAULT 'KNOWN',
ADD COLUMN     "status_reason" TEXT,
ADD COLUMN     "unreachable_since" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "files" ADD COLUMN     "staged_ref" TEXT;

-- AlterTable
ALTER TABLE "group_cloud_members" ADD COLUMN     "draining" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "pieces" ADD COLUMN     "hash" TEXT,
ADD COLUMN     "sent_bytes" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "session" TEXT,
ADD COLUMN     "state" "PieceState" NOT NULL DEFAULT 'STORED',
ALTER COLUMN "object_ref" DROP NOT NULL;

-- CreateTable
CREATE TABLE "account_credentials" (
    "account_id" UUID NOT NULL,
    "sealed" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "expires_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_credentials_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "oauth_states" (
    "id" UUID NOT NULL,
    "state_hash" BYTEA NOT NULL,
    "user_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "account_id" UUID,
    "verifier" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "oauth_states_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "block_sums" (
    "file_id" UUID NOT NULL,
    "block_size" INTEGER NOT NULL,
    "sums" BYTEA NOT NULL,

    CONSTRAINT "block_sums_pkey" PRIMARY KEY ("file_id")
);

-- CreateTable
CREATE TABLE "transfers" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "file_id" UUID NOT NULL,
    "copy_id" UUID,
    "kind" "TransferKind" NOT NULL,
    "state" "TransferState" NOT NULL DEFAULT 'WAITING',
    "total_bytes" BIGINT NOT NULL,
    "sent_bytes" BIGINT NOT NULL DEFAULT 0,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,
    "next_try_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "transfers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "object_removals" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "object_ref" TEXT,
    "session" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_try_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "object_removals_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "upload_reservations" (
    "upload_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "bytes" BIGINT NOT NULL,

    CONSTRAINT "upload_reservations_pkey" PRIMARY KEY ("upload_id","account_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "oauth_states_state_hash_key" ON "oauth_states"("state_hash");

-- CreateIndex
CREATE INDEX "oauth_states_session_id_provider_idx" ON "oauth_states"("session_id", "provider");

-- CreateIndex
CREATE INDEX "oauth_states_user_id_idx" ON "oauth_states"("user_id");

-- CreateIndex
CREATE INDEX "oauth_states_account_id_idx" ON "oauth_states"("account_id");

-- CreateIndex
CREATE INDEX "oauth_states_expires_at_idx" ON "oauth_states"("expires_at");

-- CreateIndex
CREATE INDEX "transfers_user_id_created_at_idx" ON "transfers"("user_id", "created_at");

-- CreateIndex
CREATE INDEX "transfers_file_id_idx" ON "transfers"("file_id");

-- CreateIndex
CREATE INDEX "transfers_copy_id_idx" ON "transfers"("copy_id");

-- CreateIndex
CREATE INDEX "object_removals_account_id_next_try_at_idx" ON "object_removals"("account_id", "next_try_at");

-- CreateIndex
CREATE INDEX "upload_reservations_account_id_idx" ON "upload_reservations"("account_id");

-- CreateIndex
CREATE UNIQUE INDEX "accounts_user_id_provider_provider_account_id_key" ON "accounts"("user_id", "provider", "provider_account_id");

-- AddForeignKey
ALTER TABLE "account_credentials" ADD CONSTRAINT "account_credentials_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_states" ADD CONSTRAINT "oauth_states_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_states" ADD CONSTRAINT "oauth_states_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_states" ADD CONSTRAINT "oauth_states_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "block_sums" ADD CONSTRAINT "block_sums_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "files"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "transfers" ADD CONSTRAINT "transfers_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "transfers" ADD CONSTRAINT "transfers_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "files"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "transfers" ADD CONSTRAINT "transfers_copy_id_fkey" FOREIGN KEY ("copy_id") REFERENCES "copies"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "object_removals" ADD CONSTRAINT "object_removals_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload_reservations" ADD CONSTRAINT "upload_reservations_upload_id_fkey" FOREIGN KEY ("upload_id") REFERENCES "uploads"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload_reservations" ADD CONSTRAINT "upload_reservations_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What schema.prisma cannot say.

-- Uploads under way keep what they have reserved.
INSERT INTO "upload_reservations" ("upload_id", "account_id", "bytes")
  SELECT "id", "account_id", "size" FROM "uploads" WHERE "file_id" IS NULL;
ALTER TABLE "uploads" DROP COLUMN "account_id";

UPDATE "accounts" SET "quota_state" = 'UNLIMITED' WHERE "quota_bytes" IS NULL;

-- A provider may report more than its own quota, and others write there too: only our own storage is held to it.
ALTER TABLE "accounts" DROP CONSTRAINT "accounts_quota_check";
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_quota_check"
  CHECK ("provider" <> 'local' OR "quota_bytes" IS NULL OR "used_bytes" + "reserved_bytes" <= "quota_bytes");

-- A stored piece has an object.
ALTER TABLE "pieces" ADD CONSTRAINT "pieces_object_ref_check" CHECK ("state" = 'PLANNED' OR "object_ref" IS NOT NULL);

CREATE INDEX "files_staged_ref" ON "files" ("staged_ref") WHERE "staged_ref" IS NOT NULL;
CREATE INDEX "files_at_risk" ON "files" ("user_id", "updated_at", "id") WHERE "state" = 'AT_RISK';
CREATE INDEX "transfers_open" ON "transfers" ("user_id", "created_at") WHERE "state" IN ('WAITING', 'RUNNING', 'PAUSED', 'PARKED', 'FAILED');
