-- DropIndex
DROP INDEX "shares_expires_at_idx";

-- What schema.prisma cannot say: looked at every minute, so each holds only what may be due, not all that ever ended.
CREATE INDEX "shares_ending" ON "shares" ("expires_at") WHERE "ended_at" IS NULL AND "expires_at" IS NOT NULL;
CREATE INDEX "shares_used_up" ON "shares" ("id") WHERE "ended_at" IS NULL AND "downloads" >= "max_downloads";
CREATE INDEX "shares_linked" ON "shares" ("id") WHERE "provider_ref" IS NOT NULL;
