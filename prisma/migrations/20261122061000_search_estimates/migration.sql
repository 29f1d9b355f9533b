-- How many names hold a word is guessed from a sample: with 100 of them a rare word can look like one in a hundred, and the
-- search then walks through all files by date instead of asking the trigram index.
ALTER TABLE "files" ALTER COLUMN "search_key" SET STATISTICS 1000;
