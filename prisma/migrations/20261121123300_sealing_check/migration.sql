-- CreateTable
CREATE TABLE "sealing_check" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "sealed" TEXT NOT NULL,

    CONSTRAINT "sealing_check_pkey" PRIMARY KEY ("id")
);

-- What schema.prisma cannot say.
ALTER TABLE "sealing_check" ADD CONSTRAINT "sealing_check_one_row" CHECK ("id" = 1);
