-- While a large account is listed for the first time, these tables grow by more than a tenth each minute, and as often their
-- statistics were made again, of "files" from 300,000 rows. They describe shares of a table, which change less. An entry counts twice, as its folder changes.
ALTER TABLE "files" SET (autovacuum_analyze_scale_factor = 0.8);
ALTER TABLE "account_entries" SET (autovacuum_analyze_scale_factor = 0.8);
-- No condition is on the name itself: its keys are compared.
ALTER TABLE "files" ALTER COLUMN "name" SET STATISTICS 0;
-- New names wait in this list, of 4 MB without this, until they are in the index. Each search reads all of it, which takes as long as
-- the search itself.
-- allow unknown: a parameter of the index that servers do not know of
ALTER INDEX "files_search" SET (gin_pending_list_limit = 1024);
