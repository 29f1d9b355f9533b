-- CreateTable
CREATE TABLE "staged_objects" (
    "id" UUID NOT NULL,
    "session" INTEGER NOT NULL DEFAULT 1,
    "upload_id" TEXT,
    "next_part" INTEGER NOT NULL DEFAULT 1,
    "size" BIGINT,
    "tail" TEXT,
    "tail_size" INTEGER,
    "note" BYTEA,
    "discarded" BOOLEAN NOT NULL DEFAULT false,
    "touched_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "staged_objects_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "staged_parts" (
    "object_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "etag" TEXT NOT NULL,
    "size" BIGINT NOT NULL,

    CONSTRAINT "staged_parts_pkey" PRIMARY KEY ("object_id","number")
);

-- CreateIndex
CREATE INDEX "staged_objects_touched_at_idx" ON "staged_objects"("touched_at");

-- AddForeignKey
ALTER TABLE "staged_parts" ADD CONSTRAINT "staged_parts_object_id_fkey" FOREIGN KEY ("object_id") REFERENCES "staged_objects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
