-- AlterTable
ALTER TABLE "object_removals" ADD COLUMN     "hash" TEXT,
ADD COLUMN     "size" BIGINT;

-- AlterTable
ALTER TABLE "pieces" ADD COLUMN     "changed_at" TIMESTAMPTZ(3),
ADD COLUMN     "checked_at" TIMESTAMPTZ(3),
ADD COLUMN     "object_path" TEXT;

-- CreateTable
CREATE TABLE "account_feeds" (
    "account_id" UUID NOT NULL,
    "cursor" TEXT,
    "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "checked_at" TIMESTAMPTZ(3),

    CONSTRAINT "account_feeds_pkey" PRIMARY KEY ("account_id")
);

-- AddForeignKey
ALTER TABLE "account_feeds" ADD CONSTRAINT "account_feeds_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Which objects a deletion that is reported by path concerns. Few services do so.
CREATE INDEX "pieces_account_path" ON "pieces" ("account_id", "object_path" COLLATE "C") WHERE "object_path" IS NOT NULL;
