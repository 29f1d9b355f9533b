-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "trash_bytes" BIGINT;

-- CreateTable
CREATE TABLE "room_answers" (
    "account_id" UUID NOT NULL,
    "folder_id" UUID NOT NULL,
    "home" TEXT NOT NULL,
    "answer" JSONB NOT NULL,
    "as_of" TIMESTAMPTZ(3) NOT NULL,
    "took_ms" INTEGER NOT NULL,

    CONSTRAINT "room_answers_pkey" PRIMARY KEY ("account_id","folder_id")
);

-- AddForeignKey
ALTER TABLE "room_answers" ADD CONSTRAINT "room_answers_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
