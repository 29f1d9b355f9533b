-- AlterTable
ALTER TABLE "uploads" ADD COLUMN     "link_id" UUID;

-- CreateTable
CREATE TABLE "upload_links" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "folder_id" UUID NOT NULL,
    "title" TEXT NOT NULL,
    "message" TEXT NOT NULL DEFAULT '',
    "password_hash" TEXT,
    "expires_at" TIMESTAMPTZ(3),
    "max_files" INTEGER,
    "max_bytes" BIGINT,
    "max_file_bytes" BIGINT,
    "asks_name" BOOLEAN NOT NULL DEFAULT false,
    "notifies" BOOLEAN NOT NULL DEFAULT false,
    "files" INTEGER NOT NULL DEFAULT 0,
    "bytes" BIGINT NOT NULL DEFAULT 0,
    "claimed_files" INTEGER NOT NULL DEFAULT 0,
    "claimed_bytes" BIGINT NOT NULL DEFAULT 0,
    "last_file_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "upload_links_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "link_uploads" (
    "id" UUID NOT NULL,
    "link_id" UUID NOT NULL,
    "upload_id" UUID,
    "name" TEXT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "network" TEXT NOT NULL,
    "visitor" TEXT NOT NULL DEFAULT '',
    "file_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "link_uploads_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "upload_links_user_id_created_at_id_idx" ON "upload_links"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "upload_links_folder_id_idx" ON "upload_links"("folder_id");

-- CreateIndex
CREATE INDEX "link_uploads_link_id_idx" ON "link_uploads"("link_id");

-- CreateIndex
CREATE INDEX "link_uploads_seen_at_idx" ON "link_uploads"("seen_at");

-- AddForeignKey
ALTER TABLE "upload_links" ADD CONSTRAINT "upload_links_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload_links" ADD CONSTRAINT "upload_links_folder_id_fkey" FOREIGN KEY ("folder_id") REFERENCES "files"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "link_uploads" ADD CONSTRAINT "link_uploads_link_id_fkey" FOREIGN KEY ("link_id") REFERENCES "upload_links"("id") ON DELETE CASCADE ON UPDATE CASCADE;
