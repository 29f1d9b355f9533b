-- CreateTable
CREATE TABLE "content_hashes" (
    "file_id" UUID NOT NULL,
    "version" TEXT NOT NULL,
    "sha256" BYTEA,
    "md5" BYTEA,
    "sha1" BYTEA,
    "dropbox" BYTEA,
    "quickxor" BYTEA,

    CONSTRAINT "content_hashes_pkey" PRIMARY KEY ("file_id")
);

-- CreateTable
CREATE TABLE "unchecked_sizes" (
    "user_id" UUID NOT NULL,
    "size" BIGINT NOT NULL,
    "position" BIGSERIAL NOT NULL,

    CONSTRAINT "unchecked_sizes_pkey" PRIMARY KEY ("user_id","size","position")
);

-- CreateTable
CREATE TABLE "duplicate_checks" (
    "user_id" UUID NOT NULL,
    "checked_at" TIMESTAMPTZ(3),

    CONSTRAINT "duplicate_checks_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "duplicate_groups" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "certain" BOOLEAN NOT NULL,
    "size" BIGINT NOT NULL,
    "files" INTEGER NOT NULL,
    "waste" BIGINT NOT NULL,
    "match" TEXT NOT NULL,
    "hash" TEXT,
    "category" "FileCategory" NOT NULL,

    CONSTRAINT "duplicate_groups_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "duplicate_files" (
    "group_id" UUID NOT NULL,
    "file_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "account_id" UUID,
    "waste" BIGINT NOT NULL,

    CONSTRAINT "duplicate_files_pkey" PRIMARY KEY ("group_id","file_id")
);

-- CreateTable
CREATE TABLE "duplicate_comparisons" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "file_ids" UUID[],
    "state" TEXT NOT NULL DEFAULT 'RUNNING',
    "total_bytes" BIGINT NOT NULL,
    "done_bytes" BIGINT NOT NULL DEFAULT 0,
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "duplicate_comparisons_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "duplicate_groups_user_id_waste_id_idx" ON "duplicate_groups"("user_id", "waste", "id");

-- CreateIndex
CREATE INDEX "duplicate_groups_user_id_certain_waste_id_idx" ON "duplicate_groups"("user_id", "certain", "waste", "id");

-- CreateIndex
CREATE INDEX "duplicate_groups_user_id_size_idx" ON "duplicate_groups"("user_id", "size");

-- CreateIndex
CREATE INDEX "duplicate_files_file_id_idx" ON "duplicate_files"("file_id");

-- CreateIndex
CREATE INDEX "duplicate_files_user_id_account_id_waste_group_id_idx" ON "duplicate_files"("user_id", "account_id", "waste", "group_id");

-- CreateIndex
CREATE INDEX "duplicate_comparisons_user_id_created_at_idx" ON "duplicate_comparisons"("user_id", "created_at");

-- AddForeignKey
ALTER TABLE "content_hashes" ADD CONSTRAINT "content_hashes_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "files"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "unchecked_sizes" ADD CONSTRAINT "unchecked_sizes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "duplicate_checks" ADD CONSTRAINT "duplicate_checks_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "duplicate_groups" ADD CONSTRAINT "duplicate_groups_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "duplicate_files" ADD CONSTRAINT "duplicate_files_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "files"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "duplicate_comparisons" ADD CONSTRAINT "duplicate_comparisons_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Which sizes have to be checked again. Rows are only added here, so that concurrent transactions never wait for each other.
CREATE FUNCTION note_new_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unchecked_sizes (user_id, size)
    SELECT DISTINCT n.user_id, n.size FROM changed n WHERE n.kind = 'FILE' AND n.size > 0 AND n.trash_root_id IS NULL AND n.purged_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER files_new AFTER INSERT ON files REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_new_files();

CREATE FUNCTION note_changed_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unchecked_sizes (user_id, size)
    SELECT DISTINCT NEW.user_id, s.size FROM unnest(ARRAY[OLD.size, NEW.size]) AS s (size) WHERE s.size > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER files_changed AFTER UPDATE OF kind, size, sha256, name_key, updated_at, trash_root_id, purged_at ON files FOR EACH ROW
  WHEN (NEW.kind = 'FILE' AND (OLD.size, OLD.sha256, OLD.name_key, OLD.updated_at, OLD.trash_root_id IS NULL, OLD.purged_at IS NULL)
    IS DISTINCT FROM (NEW.size, NEW.sha256, NEW.name_key, NEW.updated_at, NEW.trash_root_id IS NULL, NEW.purged_at IS NULL))
  EXECUTE FUNCTION note_changed_file();

-- Rows of a user who is being deleted need no check.
CREATE FUNCTION note_deleted_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unchecked_sizes (user_id, size)
    SELECT DISTINCT o.user_id, o.size FROM changed o WHERE o.kind = 'FILE' AND o.size > 0 AND o.trash_root_id IS NULL AND o.purged_at IS NULL
      AND EXISTS (SELECT FROM users u WHERE u.id = o.user_id);
  RETURN NULL;
END $$;
CREATE TRIGGER files_deleted AFTER DELETE ON files REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_deleted_files();

CREATE FUNCTION note_changed_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unchecked_sizes (user_id, size)
    SELECT f.user_id, f.size FROM files f WHERE f.id = NEW.file_id AND f.kind = 'FILE' AND f.size > 0 AND f.purged_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER account_entries_changed AFTER UPDATE OF hash, revision, native_kind ON account_entries FOR EACH ROW
  WHEN ((OLD.hash, OLD.revision, OLD.native_kind) IS DISTINCT FROM (NEW.hash, NEW.revision, NEW.native_kind))
  EXECUTE FUNCTION note_changed_entry();

-- Whole copies at a provider: it has reported their hashes.
INSERT INTO content_hashes (file_id, version, md5, dropbox)
  SELECT f.id, encode(f.sha256, 'hex'), decode(max(substr(p.hash, 5)) FILTER (WHERE p.hash LIKE 'md5:%'), 'hex'),
    decode(max(substr(p.hash, 9)) FILTER (WHERE p.hash LIKE 'dropbox:%'), 'hex')
  FROM files f JOIN copies c ON c.file_id = f.id JOIN pieces p ON p.copy_id = c.id
  WHERE c.state = 'STORED' AND p.state = 'STORED' AND p.size = f.size AND p.changed_at IS NULL AND f.sha256 IS NOT NULL
    AND (p.hash ~ '^md5:[0-9a-f]{32}$' OR p.hash ~ '^dropbox:[0-9a-f]{64}$')
  GROUP BY f.id;

-- What is there already is checked after the start.
INSERT INTO unchecked_sizes (user_id, size)
  SELECT user_id, size FROM files WHERE kind = 'FILE' AND size > 0 AND trash_root_id IS NULL AND purged_at IS NULL
  GROUP BY user_id, size HAVING count(*) > 1;
