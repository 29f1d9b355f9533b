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

/** Why no copy of a file can be read now, by account; `errors` is what accounts said just now. */
export async function unavailable(
  sql: Queryable,
  fileId: string,
  errors: ReadonlyMap<string, unknown> = new Map(),
): Promise<ContentUnavailableError> {
  const { rows } = await sql.query<Row>(
    `select c.state, c.state = 'STORED' and c.suspect_reads > 0 as suspect, array_agg(distinct a.name) as names,
       json_agg(distinct jsonb_build_object('id', a.id, 'name', a.name)) as accounts,
       coalesce(json_agg(distinct jsonb_build_object('name', a.name, 'how', ${lossSql('a')}))
         filter (where ${lossSql('a')} is not null), '[]') as lost,
       coalesce(array_agg(distinct a.name) filter (where p.changed_at is not null), '{}') as changed
     from copies c join pieces p on p.copy_id = c.id join accounts a on a.id = p.account_id
     where c.file_id = $1 and c.state <> 'STORING' group by c.id order by c.created_at, c.id`,
    [fileId],
  )
  const reasons = rows.flatMap((copy) => {
    const known = whatHappened(copy)
    return known.length > 0 ? known : copy.accounts.flatMap(({ id, name }) => whatItSaid(name, errors.get(id)))
  })
  if (reasons.length === 0) return new ContentUnavailableError('No copy of this file can be read now.')
  return new ContentUnavailableError(`This file cannot be read now: ${listed(reasons)}.`)
}

function whatItSaid(name: string, error: unknown): string[] {
  if (error === undefined) return []
  const code = error instanceof ProviderError ? error.code : null
  if (error instanceof WrongBytesError || error instanceof ShortPartError || code === 'Corrupt') {
    return [`“${name}” sends other bytes than were stored`]
  }
  if (code === 'ReconnectNeeded' || code === 'AuthExpired') return [`“${name}” needs to be connected again`]
  if (code === 'RateLimited') return [`“${name}” asks to wait`]
  if (code === 'NotFound') return [`“${name}” does not find it`]
  return code === 'Forbidden' ? [`“${name}” refuses access`] : [`“${name}” does not answer`]
}
