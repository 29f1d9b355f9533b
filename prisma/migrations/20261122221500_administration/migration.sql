-- CreateEnum
CREATE TYPE "UserRole" AS ENUM ('MEMBER', 'ADMINISTRATOR');

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "role" "UserRole" NOT NULL DEFAULT 'MEMBER';

-- Who came first administers the server.
UPDATE "users" SET "role" = 'ADMINISTRATOR'
WHERE "id" = (SELECT "id" FROM "users" WHERE "deleted_at" IS NULL ORDER BY "created_at", "id" LIMIT 1);

-- CreateTable
CREATE TABLE "invitations" (
    "id" UUID NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "created_by" UUID,
    "email" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "used_by" UUID,

    CONSTRAINT "invitations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "server_limits" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "total_quota_bytes" BIGINT,

    CONSTRAINT "server_limits_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "invitations_token_hash_key" ON "invitations"("token_hash");

-- CreateIndex
CREATE INDEX "invitations_created_by_idx" ON "invitations"("created_by");

-- CreateIndex
CREATE INDEX "invitations_used_by_idx" ON "invitations"("used_by");

-- AddForeignKey
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_used_by_fkey" FOREIGN KEY ("used_by") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- What all users together may still keep on this server; null where no limit is set.
CREATE FUNCTION local_room_bytes() RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT greatest(0, l.total_quota_bytes - (
    SELECT coalesce(sum(a.used_bytes + a.reserved_bytes), 0)::bigint FROM accounts a WHERE a.provider = 'local'
  )) FROM server_limits l WHERE l.id = 1 AND l.total_quota_bytes IS NOT NULL
$$;

-- Placement reads the room without a lock, so two users could both get the last of it. Here they take turns. Without a limit
-- it costs one look at a table of one row.
CREATE FUNCTION check_total_quota() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  total bigint;
  others bigint;
BEGIN
  SELECT l.total_quota_bytes INTO total FROM server_limits l WHERE l.id = 1;
  IF total IS NULL THEN
    RETURN NEW;
  END IF;
  PERFORM pg_advisory_xact_lock(1936421493);
  SELECT coalesce(sum(a.used_bytes + a.reserved_bytes), 0) INTO others FROM accounts a
    WHERE a.provider = 'local' AND a.id <> NEW.id;
  IF others + NEW.used_bytes + NEW.reserved_bytes > total THEN
    RAISE EXCEPTION 'The total quota of this server is used up.' USING ERRCODE = 'SP507';
  END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER accounts_total_quota BEFORE UPDATE OF used_bytes, reserved_bytes ON accounts FOR EACH ROW
  WHEN (NEW.provider = 'local' AND NEW.used_bytes + NEW.reserved_bytes > OLD.used_bytes + OLD.reserved_bytes)
  EXECUTE FUNCTION check_total_quota();
