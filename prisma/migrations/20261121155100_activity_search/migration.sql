-- Compared byte by byte, as the search keys of files are.
ALTER TABLE "activities" ALTER COLUMN "search_key" SET DATA TYPE TEXT COLLATE "C";

-- Search by substring, within one user.
CREATE INDEX "activities_search" ON "activities" USING gin ("user_id", "search_key" gin_trgm_ops)
  WHERE "user_id" IS NOT NULL;
