import type { Credentials, Driver, OAuth } from './driver.ts'

/** A provider of the catalogue, as people are shown it (spec 3). */
export type ProviderInfo = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly popular: boolean
  /** READY: can be connected. NOT_CONFIGURED: an administrator must set `settings` first. UNAVAILABLE: this version has no driver for it. */
  readonly availability: 'READY' | 'NOT_CONFIGURED' | 'UNAVAILABLE'
  /** Names of the settings that are missing. */
  readonly settings: readonly string[]
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
  /** The eleven of the catalogue, in its order. */
  catalogue(): readonly ProviderInfo[]
  /** Null when the provider has no such thing, or is not configured. */
  oauth(provider: string): OAuth | null
  /** A driver on these very credentials: for the moment of connecting, before an account exists. */
  openWith(provider: string, credentials: Credentials): Driver
  /** The account's driver with all layers: refresh, limit, retry, observe. One per account and process; opening does no I/O. */
  open(account: AccountHandle): Driver
  /** Forgets the account's driver, its pauses and its credentials in memory. */
  close(accountId: string): void
}
