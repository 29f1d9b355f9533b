-- AlterTable
ALTER TABLE "files" ADD COLUMN     "account_id" UUID;

-- CreateTable
CREATE TABLE "account_indexes" (
    "account_id" UUID NOT NULL,
    "root_file_id" UUID NOT NULL,
    "root_ref" TEXT,
    "pass" INTEGER NOT NULL DEFAULT 1,
    "cursor" TEXT,
    "pass_started_at" TIMESTAMPTZ(3),
    "listed" BOOLEAN NOT NULL DEFAULT false,
    "passed_at" TIMESTAMPTZ(3),
    "as_of" TIMESTAMPTZ(3),
    "entries" INTEGER NOT NULL DEFAULT 0,
    "held" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "account_indexes_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "account_entries" (
    "file_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "ref" TEXT NOT NULL,
    "path" TEXT,
    "revision" TEXT,
    "hash" TEXT,
    "web_url" TEXT,
    "native_kind" TEXT,
    "target" TEXT,
    "rights" INTEGER NOT NULL DEFAULT 0,
    "pass" INTEGER NOT NULL DEFAULT 0,
    "changed_in" INTEGER NOT NULL DEFAULT 0,
    "gone_at" TIMESTAMPTZ(3),
    "unlisted" BOOLEAN NOT NULL DEFAULT false,
    "held" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "account_entries_pkey" PRIMARY KEY ("file_id")
);

-- CreateTable
CREATE TABLE "unplaced_entries" (
    "account_id" UUID NOT NULL,
    "ref" TEXT NOT NULL,
    "parent" TEXT NOT NULL,
    "entry" JSONB NOT NULL,

    CONSTRAINT "unplaced_entries_pkey" PRIMARY KEY ("account_id","ref")
);

-- CreateIndex
CREATE UNIQUE INDEX "account_entries_account_id_ref_key" ON "account_entries"("account_id", "ref");

-- CreateIndex
CREATE INDEX "unplaced_entries_account_id_parent_idx" ON "unplaced_entries"("account_id", "parent");

-- AddForeignKey
ALTER TABLE "account_indexes" ADD CONSTRAINT "account_indexes_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account_entries" ADD CONSTRAINT "account_entries_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "files"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account_entries" ADD CONSTRAINT "account_entries_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "unplaced_entries" ADD CONSTRAINT "unplaced_entries_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Names in an account follow the rules of its provider: only Skypool's own names are unique per folder.
DROP INDEX "files_live_name_key";
CREATE UNIQUE INDEX "files_live_name_key"
  ON "files" ("user_id", coalesce("parent_id", '00000000-0000-0000-0000-000000000000'::uuid), "name_key")
  WHERE "trashed_at" IS NULL AND "purged_at" IS NULL AND "account_id" IS NULL;
CREATE INDEX "files_name_in_account"
  ON "files" ("user_id", coalesce("parent_id", '00000000-0000-0000-0000-000000000000'::uuid), "name_key")
  WHERE "purged_at" IS NULL AND "account_id" IS NOT NULL;

-- Usage by type counts what Skypool stores; entries in place count at their provider.
DROP INDEX "files_usage";
CREATE INDEX "files_usage" ON "files" ("user_id", "category") INCLUDE ("size")
  WHERE "kind" = 'FILE' AND "purged_at" IS NULL AND "account_id" IS NULL;

-- Entries in place are never in Skypool's trash, in a group cloud or staged.
ALTER TABLE "files" ADD CONSTRAINT "files_in_place_check" CHECK ("account_id" IS NULL OR ("trashed_at" IS NULL
  AND "trash_root_id" IS NULL AND "settling" IS NULL AND "group_cloud_id" IS NULL AND "staged_ref" IS NULL));

-- Deletions are reported by path: an entry and everything below it.
CREATE INDEX "account_entries_path" ON "account_entries" ("account_id", "path" COLLATE "C") WHERE "path" IS NOT NULL;
-- What is left to check after a listing, what is held back, and what is to be removed.
CREATE INDEX "account_entries_gone" ON "account_entries" ("account_id", "gone_at") WHERE "gone_at" IS NOT NULL;
CREATE INDEX "account_entries_held" ON "account_entries" ("account_id") WHERE "held";
CREATE INDEX "account_entries_unlisted" ON "account_entries" ("account_id") WHERE "unlisted";
