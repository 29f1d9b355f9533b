import { randomBytes } from 'node:crypto'
import type { User } from '../model.ts'

export type Client = {
  readonly id: string
  readonly secret: string
  /** null = any address. */
  readonly redirectUris: readonly string[] | null
}

/** What a user allowed a client; all tokens of it live and die with it. */
export type Grant = { readonly user: User; readonly client: Client; scopes: readonly string[]; live: boolean }

export type AccessToken = { readonly grant: Grant; readonly scopes: readonly string[]; expiresAt: number }

export type Code = {
  readonly grant: Grant
  readonly scopes: readonly string[]
  readonly redirectUri: string
  readonly challenge: string | null
  readonly challengeMethod: 'S256' | 'plain'
  readonly offline: boolean
  readonly nonce: string | null
  readonly expiresAt: number
}

/** Clients, and all that was issued to them. */
export type Grants = {
  readonly clients: Map<string, Client>
  readonly settings: { tokenLifeSeconds: number; rotation: boolean; coop: boolean }
  find(user: User, client: Client): Grant | null
  allow(user: User, client: Client, scopes: readonly string[]): Grant
  issueCode(code: Omit<Code, 'expiresAt'>): string
  /** Single-use: gone by the asking. */
  takeCode(code: string): Code | null
  /** Whose code it is, without using it up. */
  holderOfCode(code: string): string | null
  issueAccess(grant: Grant, scopes: readonly string[]): string
  issueRefresh(grant: Grant, scopes: readonly string[]): string
  access(token: string): AccessToken | null
  /** Whose it is or was. */
  holderOfAccess(token: string): string | null
  /** 'unknown' was never issued; 'dead' was. */
  refresh(token: string): { readonly grant: Grant; readonly scopes: readonly string[] } | 'dead' | 'unknown'
  retire(refreshToken: string): void
  /** Of any of its tokens; false when there is no such live token. */
  revoke(token: string): boolean
  revokeUser(user: User): void
  expireAccess(user: User): void
  liveTokens(user: User): { readonly refresh: number; readonly access: number }
}

const CODE_LIFE_MS = 10 * 60_000
const MOST_REFRESH_TOKENS = 100

type Refresh = { readonly grant: Grant; readonly scopes: readonly string[]; live: boolean }

export function createGrants(clock: () => number): Grants {
  const grants: Grant[] = []
  const codes = new Map<string, Code>()
  const accesses = new Map<string, AccessToken>()
  const refreshes = new Map<string, Refresh>()
  const settings = { tokenLifeSeconds: 3600, rotation: false, coop: false }
  const isLive = ({ grant }: { readonly grant: Grant }): boolean => grant.live && !grant.user.deleted
  const liveOf = (grant: Grant): Refresh[] => [...refreshes.values()].filter((one) => one.grant === grant && one.live)

  const all: Grants = {
    clients: new Map(),
    settings,
    find: (user, client) => grants.find((one) => one.live && one.user === user && one.client.id === client.id) ?? null,
    allow(user, client, scopes) {
      const known = all.find(user, client)
      if (known) known.scopes = [...new Set([...known.scopes, ...scopes])]
      const grant = known ?? { user, client, scopes, live: true }
      if (!known) grants.push(grant)
      return grant
    },
    issueCode(code) {
      const text = `4/0${randomBytes(36).toString('base64url')}`
      codes.set(text, { ...code, expiresAt: clock() + CODE_LIFE_MS })
      return text
    },
    takeCode(text) {
      const code = codes.get(text)
      codes.delete(text)
      return code?.grant.live && code.expiresAt > clock() ? code : null
    },
    holderOfCode: (text) => codes.get(text)?.grant.user.email ?? null,
    issueAccess(grant, scopes) {
      const token = `ya29.${randomBytes(96).toString('base64url')}`
      accesses.set(token, { grant, scopes, expiresAt: clock() + settings.tokenLifeSeconds * 1000 })
      return token
    },
    issueRefresh(grant, scopes) {
      const oldest = liveOf(grant)
      if (oldest[0] && oldest.length >= MOST_REFRESH_TOKENS) oldest[0].live = false
      const token = `1//0${randomBytes(60).toString('base64url')}`
      refreshes.set(token, { grant, scopes, live: true })
      return token
    },
    access(text) {
      const token = accesses.get(text)
      return token && isLive(token) && token.expiresAt > clock() ? token : null
    },
    holderOfAccess: (text) => accesses.get(text)?.grant.user.email ?? null,
    refresh(text) {
      const token = refreshes.get(text)
      if (!token) return 'unknown'
      return token.live && isLive(token) ? token : 'dead'
    },
    retire(text) {
      const token = refreshes.get(text)
      if (token) token.live = false
    },
    revoke(text) {
      const refresh = refreshes.get(text)
      const found = refresh?.live && isLive(refresh) ? refresh : all.access(text)
      if (found) found.grant.live = false
      return Boolean(found)
    },
    revokeUser(user) {
      for (const grant of grants) if (grant.user === user) grant.live = false
    },
    expireAccess(user) {
      for (const token of accesses.values()) if (token.grant.user === user) token.expiresAt = 0
    },
    liveTokens(user) {
      const mine = <T extends { readonly grant: Grant }>(token: T): boolean =>
        token.grant.user === user && isLive(token)
      return {
        refresh: [...refreshes.values()].filter((one) => one.live && mine(one)).length,
        access: [...accesses.values()].filter((one) => one.expiresAt > clock() && mine(one)).length,
      }
    },
  }
  return all
}
