-- AlterTable
ALTER TABLE "share_claims" ADD COLUMN     "server_id" UUID;

-- CreateTable
CREATE UNLOGGED TABLE "call_limits" (
    "key" TEXT NOT NULL,
    "most" INTEGER NOT NULL,
    "refills" BOOLEAN NOT NULL,
    "remaining" DOUBLE PRECISION NOT NULL,
    "since" TIMESTAMPTZ(6) NOT NULL,
    "granted" INTEGER NOT NULL,

    CONSTRAINT "call_limits_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE UNLOGGED TABLE "held_slots" (
    "key" TEXT NOT NULL,
    "slot" INTEGER NOT NULL,
    "server_id" UUID NOT NULL,

    CONSTRAINT "held_slots_pkey" PRIMARY KEY ("key","slot")
);

-- CreateTable
CREATE TABLE "account_pauses" (
    "account_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "account_pauses_pkey" PRIMARY KEY ("account_id","kind")
);

-- CreateIndex
CREATE INDEX "held_slots_server_id_idx" ON "held_slots"("server_id");

-- CreateIndex
-- allow long-lock: the table has one row for each download in progress of a link with a limit
CREATE INDEX "share_claims_server_id_idx" ON "share_claims"("server_id");

-- AddForeignKey
-- allow narrows: servers of the version before leave it null
ALTER TABLE "share_claims" ADD CONSTRAINT "share_claims_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "held_slots" ADD CONSTRAINT "held_slots_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account_pauses" ADD CONSTRAINT "account_pauses_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
