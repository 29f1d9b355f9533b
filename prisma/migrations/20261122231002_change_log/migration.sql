-- CreateTable
CREATE TABLE "changes" (
    "position" BIGSERIAL NOT NULL,
    "user_id" UUID NOT NULL,
    "topic" TEXT NOT NULL,
    "event" JSONB NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "changes_pkey" PRIMARY KEY ("position")
);

-- CreateTable
CREATE TABLE "change_floor" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "position" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "change_floor_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "changes_user_id_position_idx" ON "changes"("user_id", "position");

-- CreateIndex
CREATE INDEX "changes_at_idx" ON "changes"("at");

-- AddForeignKey
ALTER TABLE "changes" ADD CONSTRAINT "changes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The one row
INSERT INTO "change_floor" ("id", "position") VALUES (1, 0);
