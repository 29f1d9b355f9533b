-- CreateTable
CREATE TABLE "browser_pictures" (
    "user_id" UUID NOT NULL,
    "sha256" BYTEA NOT NULL,
    "small" BYTEA NOT NULL,
    "medium" BYTEA NOT NULL,
    "large" BYTEA NOT NULL,
    "duration_ms" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "browser_pictures_pkey" PRIMARY KEY ("user_id","sha256")
);

-- AddForeignKey
ALTER TABLE "browser_pictures" ADD CONSTRAINT "browser_pictures_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- To find whether a content is still used: see files/content/browserPictures.ts.
CREATE INDEX "files_browser_pictures" ON "files" ("user_id", "sha256")
  WHERE "account_id" IS NULL AND ("category" = 'VIDEO' OR "mime_type" IN ('image/heic', 'image/heif', 'image/heic-sequence', 'image/heif-sequence'));
