-- How many uploads a user has open is asked each time one begins, and those that became files stay for a day.
CREATE INDEX "uploads_open" ON "uploads" ("user_id") WHERE "file_id" IS NULL;
