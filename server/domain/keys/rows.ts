import { type Sealing, SealingError } from '../../lib/sealing.ts'
import type { ApiKey, ApiKeyStatus } from '../services/keys.ts'
import type { Scope } from '../viewer.ts'
import { masked } from './keyText.ts'

export type KeyRow = {
  readonly id: string
  readonly name: string
  readonly sealed_key: string
  readonly hint: string
  readonly scopes: readonly Scope[]
  readonly status: ApiKeyStatus
  readonly expires_at: Date | null
  readonly last_used_at: Date | null
  readonly revoked_at: Date | null
  readonly created_at: Date
}

/** Of `api_keys k`: opens while it is neither revoked nor, by the database's clock, expired. */
export const IS_LIVE = 'k.revoked_at is null and (k.expires_at is null or k.expires_at > now())'

/** A `KeyRow` of `api_keys k`. The array goes as text, which the client cannot read by itself for a type of ours. */
export const KEY_COLUMNS = `k.id, k.name, k.sealed_key, k.hint, k.scopes::text[] as scopes, k.expires_at, k.last_used_at,
  k.revoked_at, k.created_at,
  case when k.revoked_at is not null then 'REVOKED' when ${IS_LIVE} then 'ACTIVE' else 'EXPIRED' end as status`

/** What a key is sealed for: it opens in its own row alone. */
export function sealedAs(id: string): string {
  return `api_keys:${id}`
}

/** For its owner's session: the key is whole, unless it is of no use any more. */
export function toApiKey(row: KeyRow, sealing: Sealing): ApiKey {
  return {
    id: row.id,
    name: row.name,
    key: row.status === 'REVOKED' ? masked(row.hint) : opened(row, sealing),
    status: row.status,
    scopes: row.scopes,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
    createdAt: row.created_at,
  }
}

/** Masked when this server's secret key is not the one that sealed it: it still works, and can be made anew. */
function opened({ id, sealed_key, hint }: KeyRow, sealing: Sealing): string {
  try {
    return sealing.open(sealed_key, sealedAs(id))
  } catch (error) {
    if (error instanceof SealingError) return masked(hint)
    throw error
  }
}
