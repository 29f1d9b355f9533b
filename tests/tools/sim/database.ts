import type pg from 'pg'
import { EPOCH_MS } from './virtual.ts'

/**
 * The schema `sim` precedes PostgreSQL's own in the search path: time and random ids of a migrated database come from the schedule.
 * The clock is a sequence, because its value is visible immediately and in all transactions. Autovacuum
 * is off: new statistics would change query plans, and with them the order of rows in queries without "order by".
 */
const SETUP = `
  create schema sim;
  create sequence sim.clock minvalue 0;
  create sequence sim.ids;
  create function sim.now() returns timestamptz language sql stable as
    $$ select timestamptz 'epoch' + last_value * interval '1 millisecond' from sim.clock $$;
  create function sim.gen_random_uuid() returns uuid language sql volatile as
    $$ select md5('sim ' || nextval('sim.ids'))::uuid $$;
  create table sim.jobs (
    id bigserial primary key, name text not null, input jsonb not null, key text unique, run_at timestamptz not null,
    attempts int not null default 0, claimed boolean not null default false, superseded boolean not null default false);
  do $$ declare c record; begin
    for c in select table_name, column_name from information_schema.columns
      where table_schema = 'public' and column_default in ('CURRENT_TIMESTAMP', 'now()') and table_name not like '\\_%'
    loop
      execute format('alter table public.%I alter column %I set default sim.now()', c.table_name, c.column_name);
    end loop;
  end $$;
  do $$ declare t record; begin
    for t in select tablename from pg_tables where schemaname = 'public' loop
      execute format('alter table public.%I set (autovacuum_enabled = false)', t.tablename);
    end loop;
  end $$;
  do $$ begin execute format('alter database %I set search_path = sim, pg_catalog, public', current_database()); end $$;`

/** Once for a migrated database without other connections; connections opened afterwards use virtual time. */
export async function virtualize(client: pg.ClientBase): Promise<void> {
  await client.query(SETUP)
}

/** Removes everything of the previous schedule. */
export async function emptyDatabase(pool: pg.Pool): Promise<void> {
  await pool.query(`truncate users, sealing_check, sim.jobs restart identity cascade`)
  await pool.query(`select setval('sim.clock', ${EPOCH_MS}), setval('sim.ids', 1, false)`)
}

export async function setDatabaseClock(pool: pg.Pool, now: number): Promise<void> {
  await pool.query(`select setval('sim.clock', $1::bigint)`, [now])
}
