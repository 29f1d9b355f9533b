-- Leaves room on each page for new versions of its rows: the number of entries of a folder then changes in place, without a new entry in
-- each of the indexes. While a large account is listed for the first time, those changes are as many as its entries.
ALTER TABLE "files" SET (fillfactor = 90);
