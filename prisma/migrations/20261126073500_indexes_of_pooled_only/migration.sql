-- contracts: 20261126003520_user_language
-- Each entry of an account was in these indexes, and none of their queries asks for it. The indexes of the migrations before serve the
-- same statements.
DROP INDEX "files_group_cloud_id_id_idx";
DROP INDEX "files_of_group_cloud";
DROP INDEX "files_trash_root_id_idx";
DROP INDEX "files_usage";
