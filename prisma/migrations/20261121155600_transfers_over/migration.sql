-- What schema.prisma cannot say: what is over and is forgotten some day.
DROP INDEX "transfers_over";
CREATE INDEX "transfers_over" ON "transfers" ("ended_at") WHERE "state" IN ('DONE', 'CANCELLED', 'FAILED');
