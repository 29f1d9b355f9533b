-- What schema.prisma cannot say: who may be sent next, and what is planned on an account.
CREATE INDEX "transfers_due" ON "transfers" ("created_at", "id") WHERE "state" IN ('WAITING', 'RUNNING', 'PARKED');
CREATE INDEX "pieces_planned" ON "pieces" ("account_id") WHERE "state" = 'PLANNED';
CREATE INDEX "transfers_over" ON "transfers" ("ended_at") WHERE "state" = 'DONE';
