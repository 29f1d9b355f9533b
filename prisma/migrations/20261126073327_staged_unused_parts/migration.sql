-- CreateTable
CREATE TABLE "staged_unused_parts" (
    "object_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "size" BIGINT NOT NULL,

    CONSTRAINT "staged_unused_parts_pkey" PRIMARY KEY ("object_id","number")
);

-- AddForeignKey
ALTER TABLE "staged_unused_parts" ADD CONSTRAINT "staged_unused_parts_object_id_fkey" FOREIGN KEY ("object_id") REFERENCES "staged_objects"("id") ON DELETE CASCADE ON UPDATE CASCADE;
