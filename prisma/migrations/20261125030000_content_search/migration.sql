-- Search inside files: the texts of documents, and which of them have to be read.
-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "search_contents" BOOLEAN;

-- CreateTable
CREATE TABLE "file_texts" (
    "file_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "key" BYTEA,
    "due_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "file_texts_pkey" PRIMARY KEY ("file_id")
);

-- CreateTable
CREATE TABLE "content_texts" (
    "user_id" UUID NOT NULL,
    "key" BYTEA NOT NULL,
    "text" TEXT NOT NULL,
    "folded" TEXT NOT NULL,
    "words" tsvector NOT NULL,

    CONSTRAINT "content_texts_pkey" PRIMARY KEY ("user_id","key")
);

-- CreateIndex
CREATE INDEX "file_texts_user_id_key_idx" ON "file_texts"("user_id", "key");

-- AddForeignKey
ALTER TABLE "file_texts" ADD CONSTRAINT "file_texts_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "files"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "content_texts" ADD CONSTRAINT "content_texts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What is due, by user.
CREATE INDEX "file_texts_due" ON "file_texts" ("user_id", "due_at") WHERE "due_at" IS NOT NULL;
-- Words within one user. Texts are added by jobs, which can wait for the index; searches cannot.
CREATE INDEX "content_texts_words" ON "content_texts" USING gin ("user_id", "words") WITH (fastupdate = off) WHERE "text" <> '';
-- Documents by time: the newest of many with a frequent word are found without reading all of them.
CREATE INDEX "files_documents" ON "files" ("user_id", "updated_at", "id")
  WHERE "category" IN ('TEXT', 'PDF', 'DOCUMENT', 'SPREADSHEET', 'PRESENTATION') AND "trash_root_id" IS NULL AND "purged_at" IS NULL;

-- Whether texts of files with this home are searched.
CREATE FUNCTION searches_contents(owner uuid, account uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN account IS NULL
    THEN NOT EXISTS (SELECT FROM accounts a WHERE a.user_id = owner AND a.provider = 'local' AND a.search_contents = false)
    ELSE EXISTS (SELECT FROM accounts a WHERE a.id = account AND a.provider <> 'local' AND a.search_contents) END
$$;

-- How many contents of a user have these words, as the planner estimates: counting them would take as long as a search.
CREATE FUNCTION count_texts(owner uuid, wanted tsquery) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
  EXECUTE format('EXPLAIN (FORMAT JSON) SELECT FROM content_texts t WHERE t.user_id = %L AND t.text <> '''' AND t.words @@ %L::tsquery',
    owner, wanted) INTO plan;
  RETURN (plan -> 0 -> 'Plan' ->> 'Plan Rows')::float8;
END $$;

CREATE FUNCTION note_new_texts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO file_texts (file_id, user_id, due_at)
    SELECT n.id, n.user_id, now() FROM changed n
    WHERE n.kind = 'FILE' AND n.category IN ('TEXT', 'PDF', 'DOCUMENT', 'SPREADSHEET', 'PRESENTATION') AND n.size > 0 AND NOT n.native
      AND NOT n.is_version AND n.protected_account_id IS NULL AND n.purged_at IS NULL AND searches_contents(n.user_id, n.account_id)
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER files_new_texts AFTER INSERT ON files REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_new_texts();

-- Of files in accounts, the time is part of what identifies the content.
CREATE FUNCTION note_changed_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.category IN ('TEXT', 'PDF', 'DOCUMENT', 'SPREADSHEET', 'PRESENTATION') AND NEW.size > 0 AND NOT NEW.native
    AND NOT NEW.is_version AND NEW.protected_account_id IS NULL AND NEW.purged_at IS NULL AND searches_contents(NEW.user_id, NEW.account_id) THEN
    INSERT INTO file_texts (file_id, user_id, due_at) VALUES (NEW.id, NEW.user_id, now())
      ON CONFLICT (file_id) DO UPDATE SET due_at = excluded.due_at, attempts = 0;
  ELSE
    DELETE FROM file_texts WHERE file_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER files_changed_texts AFTER UPDATE OF category, size, sha256, updated_at, account_id, native ON files FOR EACH ROW
  WHEN (NEW.kind = 'FILE' AND (OLD.category IN ('TEXT', 'PDF', 'DOCUMENT', 'SPREADSHEET', 'PRESENTATION')
      OR NEW.category IN ('TEXT', 'PDF', 'DOCUMENT', 'SPREADSHEET', 'PRESENTATION'))
    AND (OLD.category, OLD.size, OLD.sha256, OLD.account_id, OLD.native,
        CASE WHEN OLD.account_id IS NOT NULL THEN OLD.updated_at END)
      IS DISTINCT FROM (NEW.category, NEW.size, NEW.sha256, NEW.account_id, NEW.native,
        CASE WHEN NEW.account_id IS NOT NULL THEN NEW.updated_at END))
  EXECUTE FUNCTION note_changed_text();

CREATE FUNCTION note_changed_entry_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE file_texts SET due_at = now(), attempts = 0 WHERE file_id = NEW.file_id;
  RETURN NULL;
END $$;
CREATE TRIGGER account_entries_changed_texts AFTER UPDATE OF hash, revision ON account_entries FOR EACH ROW
  WHEN ((OLD.hash, OLD.revision) IS DISTINCT FROM (NEW.hash, NEW.revision))
  EXECUTE FUNCTION note_changed_entry_text();

-- The lock is also taken where a file gets a text (server/domain/search), after the row of the file is locked, as it is here.
CREATE FUNCTION forget_content_texts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('texts ' || o.user_id, 0))
    FROM (SELECT DISTINCT user_id FROM gone WHERE key IS NOT NULL ORDER BY user_id) o;
  DELETE FROM content_texts t USING (SELECT DISTINCT user_id, key FROM gone WHERE key IS NOT NULL) o
    WHERE t.user_id = o.user_id AND t.key = o.key
      AND NOT EXISTS (SELECT FROM file_texts f WHERE f.user_id = o.user_id AND f.key = o.key);
  RETURN NULL;
END $$;
CREATE TRIGGER file_texts_deleted AFTER DELETE ON file_texts REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_content_texts();

-- What is there already is read after the start.
INSERT INTO file_texts (file_id, user_id, due_at)
  SELECT id, user_id, now() FROM files
  WHERE kind = 'FILE' AND category IN ('TEXT', 'PDF', 'DOCUMENT', 'SPREADSHEET', 'PRESENTATION') AND size > 0 AND NOT native
    AND NOT is_version AND protected_account_id IS NULL AND purged_at IS NULL AND account_id IS NULL;
