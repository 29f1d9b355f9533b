import { ProviderError } from '../../providers/errors.ts'
import { ContentUnavailableError } from '../errors.ts'
import { lossSql } from './accountLoss.ts'
import { type CopyFacts, listed, whatHappened } from './assess.ts'
import { ShortPartError } from './copyStream.ts'
import { WrongBytesError } from './faults.ts'
import type { Queryable } from './lookup.ts'

type Row = Omit<CopyFacts, 'readable'> & {
  readonly accounts: readonly { readonly id: string; readonly name: string }[]
}

type FileRow = Row & { readonly fileId: string }

/** Why no copy of a file can be read now, by account; `errors` is what accounts said just now. */
export async function unavailable(
  sql: Queryable,
  fileId: string,
  errors: ReadonlyMap<string, unknown> = new Map(),
): Promise<ContentUnavailableError> {
  const copies = await copiesOf(sql, [fileId])
  return new ContentUnavailableError(wordsOf(copies, errors), { retryAfterSeconds: soonest(errors) })
}

/** The same for many files, by what is known of their accounts. */
export async function unavailableWords(sql: Queryable, fileIds: readonly string[]): Promise<Map<string, string>> {
  if (fileIds.length === 0) return new Map()
  const byFile = new Map<string, FileRow[]>(fileIds.map((id) => [id, []]))
  for (const copy of await copiesOf(sql, fileIds)) byFile.get(copy.fileId)?.push(copy)
  return new Map([...byFile].map(([id, copies]) => [id, wordsOf(copies, new Map())]))
}

async function copiesOf(sql: Queryable, fileIds: readonly string[]): Promise<FileRow[]> {
  const { rows } = await sql.query<FileRow>(
    `select c.file_id as "fileId", c.state, c.state = 'STORED' and c.suspect_reads > 0 as suspect,
       array_agg(distinct a.name) as names, json_agg(distinct jsonb_build_object('id', a.id, 'name', a.name)) as accounts,
       coalesce(json_agg(distinct jsonb_build_object('name', a.name, 'how', ${lossSql('a')}))
         filter (where ${lossSql('a')} is not null), '[]') as lost,
       coalesce(array_agg(distinct a.name) filter (where p.changed_at is not null), '{}') as changed
     from copies c join pieces p on p.copy_id = c.id join accounts a on a.id = p.account_id
     where c.file_id = any($1::uuid[]) and c.state <> 'STORING' group by c.id order by c.created_at, c.id`,
    [fileIds],
  )
  return rows
}

function wordsOf(copies: readonly Row[], errors: ReadonlyMap<string, unknown>): string {
  const reasons = copies.flatMap((copy) => {
    const known = whatHappened(copy)
    return known.length > 0 ? known : copy.accounts.flatMap(({ id, name }) => whatItSaid(name, errors.get(id)))
  })
  if (reasons.length === 0) return 'No copy of this file can be read now.'
  return `This file cannot be read now: ${listed(reasons)}.`
}

/** When an account may be asked again, as the first of them has said; null when none has. */
function soonest(errors: ReadonlyMap<string, unknown>): number | null {
  const waits = [...errors.values()].flatMap((error) => {
    const ms = error instanceof ProviderError ? error.detail.retryAfterMs : undefined
    return ms === undefined ? [] : [ms]
  })
  return waits.length === 0 ? null : Math.max(1, Math.ceil(Math.min(...waits) / 1000))
}

function whatItSaid(name: string, error: unknown): string[] {
  if (error === undefined) return []
  const code = error instanceof ProviderError ? error.code : null
  if (error instanceof WrongBytesError || error instanceof ShortPartError || code === 'Corrupt') {
    return [`“${name}” sends other bytes than were stored`]
  }
  if (code === 'ReconnectNeeded' || code === 'AuthExpired') return [`“${name}” needs to be connected again`]
  if (code === 'RateLimited') return [`“${name}” asks to wait${untilWhen(error)}`]
  if (code === 'NotFound') return [`“${name}” does not find it`]
  return code === 'Forbidden' ? [`“${name}” refuses access`] : [`“${name}” does not answer`]
}

function untilWhen(error: unknown): string {
  const ms = error instanceof ProviderError ? error.detail.retryAfterMs : undefined
  if (ms === undefined) return ''
  return ` until ${new Date(Date.now() + ms).toISOString().slice(11, 16)} UTC`
}
