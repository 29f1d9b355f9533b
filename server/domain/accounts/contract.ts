import type { FieldCondition, FieldRequirement, FormChoice, FormField, FormValues } from '../../providers/driver.ts'
import type { Glyph, PoolUse, ProviderInfo } from '../../providers/providers.ts'
import type { Viewer } from '../viewer.ts'

/** Storage usage in bytes. `totalBytes` null: unlimited or unknown, see `state`. */
export type Quota = {
  readonly state: 'KNOWN' | 'UNLIMITED' | 'UNKNOWN'
  readonly usedBytes: number
  readonly totalBytes: number | null
  readonly reservedBytes: number
  /** Bytes of new files that fit, with all their copies; null: no limit is known. Absent: total minus used and reserved. */
  readonly freeBytes?: number | null
}

export type Account = {
  readonly id: string
  readonly provider: string
  readonly name: string
  readonly email: string | null
  /** Where its files are, such as `user@host` or `host/bucket`; null where `email` says it, and if it is unknown. */
  readonly place: string | null
  readonly status: 'CONNECTED' | 'EXPIRED'
  /** Message: why it expired, or is unreachable where more is known than that the provider does not respond. */
  readonly statusReason: string | null
  /** Since when the provider has not responded; null while it does. */
  readonly unreachableSince: Date | null
  readonly hue: number
  readonly quota: Quota
  /** The total of `quota` where the user typed it, because the provider reports none; otherwise null. */
  readonly capacityBytes: number | null
  /** How group clouds may use it. */
  readonly poolUse: PoolUse
  /** Whether the text inside files is searched: of what is in place there, or for this server's storage of all that Skypool stores. */
  readonly searchContents: boolean
  readonly createdAt: Date
}

/** A provider of the catalogue, and whether it can be connected on this server. */
export type Provider = ProviderInfo

export type ProviderField = FormField
export type ProviderFieldChoice = FormChoice
export type ProviderFieldCondition = FieldCondition
export type ProviderFieldRequirement = FieldRequirement

/** Undefined fields stay unchanged. `capacityBytes` null: not known to the user any more. */
export type AccountPatch = {
  readonly name?: string | undefined
  readonly hue?: number | undefined
  readonly capacityBytes?: number | null | undefined
}

/** The start of an OAuth authorization in the browser. */
export type Authorization = {
  readonly state: string
  readonly clientId: string
  readonly codeChallenge: string
  /** Complete authorization URL, including state and PKCE challenge. */
  readonly url: string
}

/** `fields`: form values by the names of the provider's fields. */
export type ConnectByFormInput = { readonly name: string; readonly fields: FormValues }

/** What connecting with these values would give. */
export type FormTest = {
  readonly ok: boolean
  /** The login, for people; null unless `ok`. */
  readonly identity: string | null
  readonly quota: (Pick<Quota, 'state' | 'totalBytes'> & { readonly usedBytes: number | null }) | null
  /** Of the server's host key, where the user has to compare it: not confirmed yet, or another one than before. */
  readonly fingerprint: string | null
  /** Folders that can be used instead of the one that was connected; `value` is for the field `folderField`. */
  readonly folderField: string | null
  readonly folders: readonly { readonly name: string; readonly value: string }[]
  /** A message; null for `ok`. */
  readonly problem: string | null
}

export type ConnectInput = { readonly code: string; readonly name: string; readonly state?: string | undefined }

/** What would happen to files if the account were disconnected. Permanently deleted files are not counted. */
export type LossPreview = {
  /** Files whose only complete copy is there. */
  readonly lostFiles: number
  readonly lostBytes: number
  /** Files with another copy elsewhere. */
  readonly keptFiles: number
  /** Files that the account has under their own names, of which no copy of the newest version is anywhere else. They stay at the provider. */
  readonly inPlaceLost: number
  readonly inPlaceLostBytes: number
  /** Those that a copy elsewhere protects. */
  readonly inPlaceProtected: number
}

/** `error` is a message when the provider could not be reached; `quota` is then the last known one. */
export type QuotaReading = { readonly accountId: string; readonly quota: Quota; readonly error: string | null }

export interface AccountsService {
  providers(): readonly Provider[]
  /** Display name of a provider. */
  providerName(provider: string): string
  /** Icon shape of a provider. */
  providerGlyph(provider: string): Glyph
  /** How accounts of a provider are connected; null for this server. */
  connectsBy(provider: string): Provider['connectsBy']
  /** Name of the provider whose public link this URL is; null for any other URL. */
  providerOfLink(url: string): string | null
  /** Connected accounts, oldest first. */
  list(viewer: Viewer, provider?: string): Promise<Account[]>
  /** In the order of `ids`; null for accounts that are disconnected or not the viewer's. */
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(Account | null)[]>
  /** Sum over all accounts in group clouds, without expired ones; totalBytes null when one of them is unknown or unlimited. */
  quota(viewer: Viewer): Promise<Quota>
  /** Reads the quotas from the providers, at most once a minute per account; provider errors are returned, not thrown. @throws NotFoundError */
  readQuotas(viewer: Viewer, ids: readonly string[]): Promise<QuotaReading[]>
  /** The client id of a provider. @throws ProviderUnavailableError */
  clientId(provider: string): string
  /** Starts connecting an account, or reconnecting `accountId`. Stores state and PKCE verifier, bound to session, provider and purpose. @throws ProviderUnavailableError, NotFoundError */
  authorize(viewer: Viewer, provider: string, origin: string, accountId?: string): Promise<Authorization>
  /**
   * Exchanges an authorization code; its state must be valid for the session and provider. The new account is in no group cloud.
   * @throws InvalidInputError (blank name), AuthorizationFailedError (state or code), AccountConnectedError, ProviderUnavailableError, ProviderFailedError
   */
  connect(viewer: Viewer, provider: string, input: ConnectInput, origin: string): Promise<Account>
  /** Keeps the account's id. @throws as connect; OtherLoginError for a different login: nothing changes */
  reconnect(
    viewer: Viewer,
    id: string,
    input: { code: string; state?: string | undefined },
    origin: string,
  ): Promise<Account>
  /**
   * Connects an account of a provider with a form. The new account is in no group cloud.
   * @throws InvalidInputError (`name`, `fields.<name>`), AuthorizationFailedError (the provider rejects the values), AccountConnectedError, ProviderUnavailableError, ProviderFailedError
   */
  connectByForm(viewer: Viewer, provider: string, input: ConnectByFormInput): Promise<Account>
  /**
   * Tries the values of a form and keeps nothing. `accountId`: as for reconnectByForm.
   * @throws InvalidInputError (`fields.<name>`), NotFoundError, ProviderUnavailableError
   */
  testForm(viewer: Viewer, provider: string, fields: FormValues, accountId?: string): Promise<FormTest>
  /** The values that an account was connected with, without secrets; empty where it has no form. @throws NotFoundError */
  formValues(viewer: Viewer, id: string): Promise<FormValues>
  /**
   * Keeps the account's id. Secrets that are left empty stay as they are, unless another server is named.
   * @throws as connectByForm; OtherLoginError for a different login: nothing changes
   */
  reconnectByForm(viewer: Viewer, id: string, fields: FormValues): Promise<Account>
  /** @throws NotFoundError, InvalidInputError, ConflictError for a capacity where the provider reports one */
  update(viewer: Viewer, id: string, patch: AccountPatch): Promise<Account>
  /** Number of files at risk by account id; accounts without any can be missing. */
  atRiskFiles(viewer: Viewer, ids: readonly string[]): Promise<Map<string, number>>
  /** @throws NotFoundError */
  previewLoss(viewer: Viewer, id: string): Promise<LossPreview>
  /**
   * Revokes the access at the provider, deletes the credentials and leaves all group clouds. Nothing at the provider is deleted:
   * connecting the same login again restores the account and its files.
   * Copies that protect its files become ordinary files in a folder of its name, or are removed with `keepProtected: false`; earlier
   * versions are removed.
   * @throws NotFoundError, FilesWouldBeLostError unless `force`, ConflictError for `local`
   */
  disconnect(viewer: Viewer, id: string, force: boolean, keepProtected?: boolean): Promise<void>
}
