-- Trigram search, and a GIN index that also holds the owner.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- CreateEnum
CREATE TYPE "FileKind" AS ENUM ('FOLDER', 'FILE');

-- CreateEnum
CREATE TYPE "FileCategory" AS ENUM ('FOLDER', 'IMAGE', 'PDF', 'VIDEO', 'AUDIO', 'TEXT', 'DOCUMENT', 'SPREADSHEET', 'PRESENTATION', 'OTHER');

-- CreateEnum
CREATE TYPE "FileState" AS ENUM ('RECEIVED', 'STORING', 'STORED', 'AT_RISK');

-- CreateEnum
CREATE TYPE "PlacementRule" AS ENUM ('MOST_FREE', 'IN_ORDER', 'ROUND_ROBIN');

-- CreateEnum
CREATE TYPE "AccountStatus" AS ENUM ('CONNECTED', 'EXPIRED');

-- CreateEnum
CREATE TYPE "CopyState" AS ENUM ('STORING', 'STORED', 'MISSING');

-- CreateEnum
CREATE TYPE "OnConflict" AS ENUM ('RENAME', 'REPLACE', 'FAIL');

-- CreateTable
CREATE TABLE "users" (
    "id" UUID NOT NULL,
    "full_name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "email_key" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "remember" BOOLEAN NOT NULL DEFAULT false,
    "user_agent" TEXT NOT NULL DEFAULT '',
    "address" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "login_throttles" (
    "key" TEXT NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "window_start" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "blocked_until" TIMESTAMPTZ(3),

    CONSTRAINT "login_throttles_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "accounts" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT,
    "status" "AccountStatus" NOT NULL DEFAULT 'CONNECTED',
    "hue" INTEGER NOT NULL DEFAULT 0,
    "quota_bytes" BIGINT,
    "used_bytes" BIGINT NOT NULL DEFAULT 0,
    "reserved_bytes" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "group_clouds" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "default_upload_group" BOOLEAN NOT NULL DEFAULT false,
    "placement" "PlacementRule" NOT NULL DEFAULT 'MOST_FREE',
    "copies" INTEGER NOT NULL DEFAULT 1,
    "spanning" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "group_clouds_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "group_cloud_members" (
    "group_cloud_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "keep_free_bytes" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "group_cloud_members_pkey" PRIMARY KEY ("group_cloud_id","account_id")
);

-- CreateTable
CREATE TABLE "files" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "parent_id" UUID,
    "kind" "FileKind" NOT NULL,
    "name" TEXT NOT NULL,
    "name_key" TEXT COLLATE "C" NOT NULL,
    "sort_key" TEXT COLLATE "C" NOT NULL,
    "search_key" TEXT COLLATE "C" NOT NULL,
    "category" "FileCategory" NOT NULL,
    "mime_type" TEXT,
    "size" BIGINT NOT NULL DEFAULT 0,
    "sha256" BYTEA,
    "state" "FileState" NOT NULL DEFAULT 'STORED',
    "state_reason" TEXT,
    "group_cloud_id" UUID,
    "starred" BOOLEAN NOT NULL DEFAULT false,
    "child_count" INTEGER NOT NULL DEFAULT 0,
    "share_count" INTEGER NOT NULL DEFAULT 0,
    "trashed_at" TIMESTAMPTZ(3),
    "trash_root_id" UUID,
    "purged_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "files_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "copies" (
    "id" UUID NOT NULL,
    "file_id" UUID NOT NULL,
    "state" "CopyState" NOT NULL DEFAULT 'STORED',
    "why" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "copies_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "pieces" (
    "id" UUID NOT NULL,
    "copy_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "index" INTEGER NOT NULL DEFAULT 0,
    "offset" BIGINT NOT NULL DEFAULT 0,
    "size" BIGINT NOT NULL,
    "object_ref" TEXT NOT NULL,

    CONSTRAINT "pieces_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "uploads" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "group_cloud_id" UUID NOT NULL,
    "parent_id" UUID,
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "mime_type" TEXT,
    "size" BIGINT NOT NULL,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "on_conflict" "OnConflict" NOT NULL DEFAULT 'RENAME',
    "file_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "uploads_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "user_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "result_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("user_id","key")
);

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key_key" ON "users"("email_key");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_token_hash_key" ON "sessions"("token_hash");

-- CreateIndex
CREATE INDEX "sessions_user_id_idx" ON "sessions"("user_id");

-- CreateIndex
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

-- CreateIndex
CREATE INDEX "login_throttles_window_start_idx" ON "login_throttles"("window_start");

-- CreateIndex
CREATE INDEX "accounts_user_id_idx" ON "accounts"("user_id");

-- CreateIndex
CREATE INDEX "group_clouds_user_id_idx" ON "group_clouds"("user_id");

-- CreateIndex
CREATE INDEX "group_cloud_members_account_id_idx" ON "group_cloud_members"("account_id");

-- CreateIndex
CREATE INDEX "files_parent_id_idx" ON "files"("parent_id");

-- CreateIndex
CREATE INDEX "files_group_cloud_id_idx" ON "files"("group_cloud_id");

-- CreateIndex
CREATE INDEX "files_trash_root_id_idx" ON "files"("trash_root_id");

-- CreateIndex
CREATE INDEX "copies_file_id_idx" ON "copies"("file_id");

-- CreateIndex
CREATE INDEX "pieces_account_id_idx" ON "pieces"("account_id");

-- CreateIndex
CREATE INDEX "pieces_object_ref_idx" ON "pieces"("object_ref");

-- CreateIndex
CREATE UNIQUE INDEX "pieces_copy_id_index_key" ON "pieces"("copy_id", "index");

-- CreateIndex
CREATE INDEX "uploads_user_id_idx" ON "uploads"("user_id");

-- CreateIndex
CREATE INDEX "uploads_expires_at_idx" ON "uploads"("expires_at");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_clouds" ADD CONSTRAINT "group_clouds_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_cloud_members" ADD CONSTRAINT "group_cloud_members_group_cloud_id_fkey" FOREIGN KEY ("group_cloud_id") REFERENCES "group_clouds"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "group_cloud_members" ADD CONSTRAINT "group_cloud_members_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "files" ADD CONSTRAINT "files_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "files" ADD CONSTRAINT "files_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "files"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "files" ADD CONSTRAINT "files_group_cloud_id_fkey" FOREIGN KEY ("group_cloud_id") REFERENCES "group_clouds"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "copies" ADD CONSTRAINT "copies_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "files"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pieces" ADD CONSTRAINT "pieces_copy_id_fkey" FOREIGN KEY ("copy_id") REFERENCES "copies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pieces" ADD CONSTRAINT "pieces_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_group_cloud_id_fkey" FOREIGN KEY ("group_cloud_id") REFERENCES "group_clouds"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What schema.prisma cannot say.

-- Used and reserved bytes never pass the quota, whoever writes.
ALTER TABLE "accounts"
  ADD CONSTRAINT "accounts_used_bytes_check" CHECK ("used_bytes" >= 0),
  ADD CONSTRAINT "accounts_reserved_bytes_check" CHECK ("reserved_bytes" >= 0),
  ADD CONSTRAINT "accounts_quota_check" CHECK ("quota_bytes" IS NULL OR "used_bytes" + "reserved_bytes" <= "quota_bytes");

-- At most one default group cloud per user.
CREATE UNIQUE INDEX "group_clouds_default_key" ON "group_clouds" ("user_id") WHERE "default_upload_group";

-- Live names are unique per folder. The root has no row of its own: coalesce() gives it a value that an index can compare.
CREATE UNIQUE INDEX "files_live_name_key"
  ON "files" ("user_id", coalesce("parent_id", '00000000-0000-0000-0000-000000000000'::uuid), "name_key")
  WHERE "trashed_at" IS NULL AND "purged_at" IS NULL;

-- A folder's listing (DRIVE), one index per order, read per kind, folders first.
CREATE INDEX "files_folder_by_name"
  ON "files" ("user_id", coalesce("parent_id", '00000000-0000-0000-0000-000000000000'::uuid), "kind", "sort_key", "id")
  WHERE "trashed_at" IS NULL AND "purged_at" IS NULL;
CREATE INDEX "files_folder_by_time"
  ON "files" ("user_id", coalesce("parent_id", '00000000-0000-0000-0000-000000000000'::uuid), "kind", "updated_at", "id")
  WHERE "trashed_at" IS NULL AND "purged_at" IS NULL;
CREATE INDEX "files_folder_by_size"
  ON "files" ("user_id", coalesce("parent_id", '00000000-0000-0000-0000-000000000000'::uuid), "kind", "size", "id")
  WHERE "trashed_at" IS NULL AND "purged_at" IS NULL;

-- The flat views: everything of a user that is not in the trash.
CREATE INDEX "files_all_by_time" ON "files" ("user_id", "updated_at", "id")
  WHERE "trash_root_id" IS NULL AND "purged_at" IS NULL;
CREATE INDEX "files_all_by_name" ON "files" ("user_id", "sort_key", "id")
  WHERE "trash_root_id" IS NULL AND "purged_at" IS NULL;
CREATE INDEX "files_all_by_size" ON "files" ("user_id", "size", "id")
  WHERE "trash_root_id" IS NULL AND "purged_at" IS NULL;
CREATE INDEX "files_starred" ON "files" ("user_id", "updated_at", "id")
  WHERE "starred" AND "trash_root_id" IS NULL AND "purged_at" IS NULL;
CREATE INDEX "files_shared" ON "files" ("user_id", "updated_at", "id")
  WHERE "share_count" > 0 AND "trash_root_id" IS NULL AND "purged_at" IS NULL;

CREATE INDEX "files_trash" ON "files" ("user_id", "trashed_at", "id")
  WHERE "trashed_at" IS NOT NULL AND "purged_at" IS NULL;
-- For the jobs that go over all users.
CREATE INDEX "files_trash_expiry" ON "files" ("trashed_at") WHERE "trashed_at" IS NOT NULL AND "purged_at" IS NULL;
CREATE INDEX "files_purged" ON "files" ("id") WHERE "purged_at" IS NOT NULL;

-- Search by substring, within one user.
CREATE INDEX "files_search" ON "files" USING gin ("user_id", "search_key" gin_trgm_ops)
  WHERE "trash_root_id" IS NULL AND "purged_at" IS NULL;
