-- What the first listing of an account finds is compared once it has ended: a note for each of its files, and a check after each page,
-- would cost more than to count the sizes then. Files with a sha256 are uploads, which are not part of the listing.
CREATE OR REPLACE FUNCTION note_new_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unchecked_sizes (user_id, size)
    SELECT DISTINCT n.user_id, n.size FROM changed n
    WHERE n.kind = 'FILE' AND n.size > 0 AND n.trash_root_id IS NULL AND n.purged_at IS NULL
      AND (n.account_id IS NULL OR n.sha256 IS NOT NULL
        OR NOT EXISTS (SELECT FROM account_indexes i WHERE i.account_id = n.account_id AND i.passed_at IS NULL));
  RETURN NULL;
END $$;

-- Sizes that the account's files have in common with another file of the user. Changes of the index wait for the row of
-- account_indexes, so that each new entry is either counted here or noted by itself.
CREATE FUNCTION note_listed_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unchecked_sizes (user_id, size)
    SELECT a.user_id, f.size FROM accounts a JOIN files f ON f.user_id = a.user_id
    WHERE a.id = NEW.account_id AND f.kind = 'FILE' AND f.size > 0 AND f.trash_root_id IS NULL AND f.purged_at IS NULL
    GROUP BY a.user_id, f.size HAVING count(*) > 1 AND bool_or(f.account_id = NEW.account_id);
  RETURN NULL;
END $$;
CREATE TRIGGER account_indexes_listed AFTER UPDATE OF passed_at ON account_indexes FOR EACH ROW
  WHEN (OLD.passed_at IS NULL AND NEW.passed_at IS NOT NULL)
  EXECUTE FUNCTION note_listed_files();
