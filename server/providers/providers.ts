import type { Credentials, Driver, FormField, SignIn } from './driver.ts'

/** Icons of providers; the colour is the account's. */
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
  'SEND',
] as const
export type Glyph = (typeof GLYPHS)[number]

/** The storage of this server: every user has an account of it, and it is not in the catalogue. */
export const THIS_SERVER = { id: 'local', name: 'This server', hue: 0, glyph: 'SERVER' } as const

/** Settings of providers by name; null where not set. */
export type ProviderSettings = Readonly<Record<string, string | null>>

/**
 * How group clouds use the accounts of a provider. EXTRA_COPIES: for the second and third copy of a file, never for its only one unless
 * the user insists. NONE: not at all.
 */
export type PoolUse = 'FULL' | 'EXTRA_COPIES' | 'NONE'

/** A provider of the catalogue as shown to users (spec 3). */
export type ProviderInfo = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly popular: boolean
  /** 1 to 12: the colour of its first account. */
  readonly hue: number
  readonly glyph: Glyph
  /** READY: can be connected. NOT_CONFIGURED: an administrator must set `settings` first. UNAVAILABLE: this version has no driver. */
  readonly availability: 'READY' | 'NOT_CONFIGURED' | 'UNAVAILABLE'
  /** Names of the settings that it needs. */
  readonly requiredSettings: readonly string[]
  /** Those of them that are missing. */
  readonly settings: readonly string[]
  /** What an administrator has to do before, in order. */
  readonly setupSteps: readonly string[]
  /** What each user does in the form, or at the provider before its window opens, in order. */
  readonly connectSteps: readonly string[]
  /** What to do about what its window may ask or warn of. */
  readonly signInHints: readonly string[]
  /** Null where this version has no driver. */
  readonly connectsBy: 'OAUTH' | 'FORM' | null
  /** Fields of its form, in order; empty while it is not set up, and for OAUTH. */
  readonly fields: readonly FormField[]
  /** FORM only: the message when an account is reconnected with another login. Says what has to be the same. */
  readonly sameLogin: string | null
  /** The access that Skypool asks for, as a sentence; null where this version has no driver. */
  readonly access: string | null
  /** Everything in its accounts can be shown, with the access that is asked for. False while it is not set up. */
  readonly canShowEverything: boolean
  /** Its accounts can have roots in addition to their own tree, which are shown only once chosen (`Driver.roots`). False while it is not set up. */
  readonly hasExtraRoots: boolean
  /** It makes small pictures of files (`Driver.thumbnail`). False while it is not set up. */
  readonly hasThumbnails: boolean
  /** What it can do with files, as sentences; empty while it is not set up. */
  readonly capabilities: readonly string[]
  /** What it cannot do, or does in its own way, as sentences. */
  readonly limits: readonly string[]
  /** How group clouds use its accounts. */
  readonly poolUse: PoolUse
  /** Why not FULL, as a sentence; null for FULL. */
  readonly poolReason: string | null
  /** Suffix of the host names of its public links. */
  readonly linkHost: string | null
  /** REST path of its accounts, below `/api/v1`. */
  readonly restPath: string
  /** Its name in the body of `POST /quotas/by-ids-and-types`. */
  readonly quotaType: string
}

/** Current credentials of accounts, shared by all processes. */
export type CredentialStore = {
  /** @throws ProviderError ReconnectNeeded when the account is expired or has none */
  read(accountId: string): Promise<StoredCredentials>
  /**
   * Newer credentials than `stale`: those that another caller has stored meanwhile, or the result of `refresh`. One refresh per
   * account at a time, across processes; the result is stored before the promise resolves. Only ReconnectNeeded from `refresh`
   * marks the account expired, and is rethrown.
   */
  renew(
    accountId: string,
    stale: StoredCredentials,
    refresh: (current: Credentials) => Promise<Credentials>,
  ): Promise<StoredCredentials>
  /** Marks the account EXPIRED until it is connected again: the provider refuses fresh credentials too. */
  expire(accountId: string, reason: string): Promise<void>
}
export type StoredCredentials = { readonly credentials: Credentials; readonly version: number }

/** An account to open. */
export type AccountHandle = { readonly id: string; readonly provider: string }

/** All providers, for the domain. */
export interface Providers {
  /** The whole catalogue, in its order. */
  catalogue(): readonly ProviderInfo[]
  /** Null when the provider is not configured. */
  signIn(provider: string): SignIn | null
  /** A driver with these credentials and without refresh: for connecting, before an account exists. */
  openWith(provider: string, credentials: Credentials): Driver
  /** The account's driver with all layers: refresh, limit, retry, observe. One per account and process; opening does no I/O. */
  open(account: AccountHandle): Driver
  /** Drops the account's driver with its pauses and cached credentials. */
  close(accountId: string): void
}
