-- The folders in a folder are found without a look at the files in it, however many there are.
CREATE INDEX "files_subfolders" ON "files" ("parent_id") WHERE "kind" = 'FOLDER';
