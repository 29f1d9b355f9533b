-- The rule of searches_contents, written out: PostgreSQL would call the function for each document, which takes longer than to insert it.
CREATE OR REPLACE FUNCTION note_new_texts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO file_texts (file_id, user_id, due_at)
    SELECT n.id, n.user_id, now() FROM changed n
    WHERE n.kind = 'FILE' AND n.category IN ('TEXT', 'PDF', 'DOCUMENT', 'SPREADSHEET', 'PRESENTATION') AND n.size > 0 AND NOT n.native
      AND NOT n.is_version AND n.protected_account_id IS NULL AND n.purged_at IS NULL
      AND CASE WHEN n.account_id IS NULL
        THEN NOT EXISTS (SELECT FROM accounts a WHERE a.user_id = n.user_id AND a.provider = 'local' AND a.search_contents = false)
        ELSE EXISTS (SELECT FROM accounts a WHERE a.id = n.account_id AND a.provider <> 'local' AND a.search_contents) END
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
