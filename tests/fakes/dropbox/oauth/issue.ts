import { randomBytes } from 'node:crypto'
import type { Grant, State } from '../state.ts'

export type Issued = { readonly access_token: string; readonly token_type: 'bearer'; readonly expires_in: number }

/** A new access token under a grant. */
export function issueToken(state: State, grant: Grant, scopes: readonly string[]): Issued {
  const value = `sl.u.${randomBytes(96).toString('base64url')}`
  const life = state.settings.tokenLifeSeconds
  state.tokens.set(value, { grant, scopes, expiresAt: state.now() + life * 1000 })
  return { access_token: value, token_type: 'bearer', expires_in: life }
}
