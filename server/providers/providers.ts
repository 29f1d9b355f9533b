import type { Credentials, Driver, FormField, SignIn } from './driver.ts'

/** Shapes that stand for providers; the account gives the colour. */
export const GLYPHS = [
  'TRIANGLE',
  'DIAMOND',
  'CLOUD',
  'BOX',
  'BRANCH',
  'TERMINAL',
  'GLOBE',
  'CYLINDER',
  'APERTURE',
  'SHIELD',
  'RING',
  'SERVER',
] as const
export type Glyph = (typeof GLYPHS)[number]

/** The storage of this server itself: an account of everybody, no provider of the catalogue. */
export const THIS_SERVER = { id: 'local', name: 'This server', hue: 0, glyph: 'SERVER' } as const

/** Settings of providers, by name; null where the administrator has not set one. */
export type ProviderSettings = Readonly<Record<string, string | null>>

/** A provider of the catalogue, as people are shown it (spec 3). */
export type ProviderInfo = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly popular: boolean
  /** 1 to 12: the colour of its first account. */
  readonly hue: number
  readonly glyph: Glyph
  /** READY: can be connected. NOT_CONFIGURED: an administrator must set `settings` first. UNAVAILABLE: this version has no driver for it. */
  readonly availability: 'READY' | 'NOT_CONFIGURED' | 'UNAVAILABLE'
  /** Names of the settings that are missing. */
  readonly settings: readonly string[]
  /** What an administrator has to do first, in order. */
  readonly setupSteps: readonly string[]
  /** Null where this version has no driver for it. */
  readonly connectsBy: 'OAUTH' | 'FORM' | null
  /** Of its form, in order; empty while it is not set up, and for OAUTH. */
  readonly fields: readonly FormField[]
  /** What is asked of the provider, in words; null where this version has no driver for it. */
  readonly access: string | null
  /** What it can do for files, in sentences; empty while it is not set up. */
  readonly capabilities: readonly string[]
  /** Addresses of its own public links end so. */
  readonly linkHost: string | null
  /** Where REST has its accounts, below `/api/v1`. */
  readonly restPath: string
  /** Its name in the body of `POST /quotas/by-ids-and-types`. */
  readonly quotaType: string
}

/** Current credentials of accounts, shared by all processes. */
export type CredentialStore = {
  /** @throws ProviderError ReconnectNeeded when the account is expired or has none */
  read(accountId: string): Promise<StoredCredentials>
  /**
   * Newer credentials than `stale`: those that another has stored meanwhile, or what `refresh` makes of the current ones. One
   * refresh per account at a time, across processes; the result is stored before it resolves. ReconnectNeeded from `refresh`,
   * and nothing else, marks the account expired and is rethrown.
   */
  renew(
    accountId: string,
    stale: StoredCredentials,
    refresh: (current: Credentials) => Promise<Credentials>,
  ): Promise<StoredCredentials>
  /** The provider refuses fresh credentials too: the account is EXPIRED until it is connected again. */
  expire(accountId: string, reason: string): Promise<void>
}
export type StoredCredentials = { readonly credentials: Credentials; readonly version: number }

/** One account to open. */
export type AccountHandle = { readonly id: string; readonly provider: string }

/** What the domain sees of all providers. */
export interface Providers {
  /** All of the catalogue, in its order. */
  catalogue(): readonly ProviderInfo[]
  /** Null when the provider is not configured. */
  signIn(provider: string): SignIn | null
  /** A driver on these very credentials: for the moment of connecting, before an account exists. */
  openWith(provider: string, credentials: Credentials): Driver
  /** The account's driver with all layers: refresh, limit, retry, observe. One per account and process; opening does no I/O. */
  open(account: AccountHandle): Driver
  /** Forgets the account's driver, its pauses and its credentials in memory. */
  close(accountId: string): void
}
