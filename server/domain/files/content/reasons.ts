import { ProviderError } from '../../../providers/errors.ts'
import { ContentUnavailableError } from '../../errors.ts'
import type { Queryable } from '../tree/entries.ts'
import { ShortPartError, WrongBytesError } from './copyStream.ts'
import { type CopyFacts, joinList, lossSql, reasonsOf } from './states.ts'

type FileReasons = Omit<CopyFacts, 'readable'> & {
  readonly accounts: readonly { readonly id: string; readonly name: string }[]
}

type ReasonsRow = FileReasons & { readonly fileId: string }

/**
 * The error with the reasons, by account, why no copy of a file can be read now; `errors`: current errors by account.
 */
export async function unavailable(
  sql: Queryable,
  fileId: string,
  errors: ReadonlyMap<string, unknown> = new Map(),
): Promise<ContentUnavailableError> {
  const copies = await copiesOf(sql, [fileId])
  return new ContentUnavailableError(messageOf(copies, errors), {
    retryAfterSeconds: retryAfterOf([...errors.values()]),
  })
}

/** The same reasons for many files, from what is stored about their accounts. */
export async function unavailableMessages(sql: Queryable, fileIds: readonly string[]): Promise<Map<string, string>> {
  if (fileIds.length === 0) return new Map()
  const byFile = new Map<string, ReasonsRow[]>(fileIds.map((id) => [id, []]))
  for (const copy of await copiesOf(sql, fileIds)) byFile.get(copy.fileId)?.push(copy)
  return new Map([...byFile].map(([id, copies]) => [id, messageOf(copies, new Map())]))
}

async function copiesOf(sql: Queryable, fileIds: readonly string[]): Promise<ReasonsRow[]> {
  const { rows } = await sql.query<ReasonsRow>(
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

function messageOf(copies: readonly FileReasons[], errors: ReadonlyMap<string, unknown>): string {
  const reasons = copies.flatMap((copy) => {
    const known = reasonsOf(copy)
    return known.length > 0 ? known : copy.accounts.flatMap(({ id, name }) => reasonOfError(name, errors.get(id)))
  })
  if (reasons.length === 0) return 'No copy of this file can be read now.'
  return `This file cannot be read now: ${joinList(reasons)}.`
}

/** The shortest wait that an account asked for, in seconds; null when none did. */
export function retryAfterOf(errors: readonly unknown[]): number | null {
  const waits = errors.flatMap((error) => {
    const ms = error instanceof ProviderError ? error.detail.retryAfterMs : undefined
    return ms === undefined ? [] : [ms]
  })
  return waits.length === 0 ? null : Math.max(1, Math.ceil(Math.min(...waits) / 1000))
}

/** Why an account cannot be read, as the end of a sentence; empty without an error. */
export function reasonOfError(name: string, error: unknown): string[] {
  if (error === undefined) return []
  const code = error instanceof ProviderError ? error.code : null
  if (error instanceof WrongBytesError || error instanceof ShortPartError || code === 'Corrupt') {
    return [`“${name}” sends other bytes than were stored`]
  }
  if (code === 'ReconnectNeeded' || code === 'AuthExpired') return [`“${name}” needs to be connected again`]
  if (code === 'RateLimited') return [`“${name}” asks to wait${waitText(error)}`]
  if (code === 'NotFound') return [`“${name}” does not find it`]
  if (error instanceof ProviderError && error.detail.isFlagged) return [`“${name}” has flagged it as malware or spam`]
  return code === 'Forbidden' ? [`“${name}” refuses access`] : [`“${name}” does not answer`]
}

function waitText(error: unknown): string {
  const ms = error instanceof ProviderError ? error.detail.retryAfterMs : undefined
  if (ms === undefined) return ''
  return ` until ${new Date(Date.now() + ms).toISOString().slice(11, 16)} UTC`
}
