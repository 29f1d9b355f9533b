import type { FormField, FormValues } from '../../providers/driver.ts'
import type { Glyph, ProviderInfo } from '../../providers/providers.ts'
import type { Viewer } from '../viewer.ts'

/** `totalBytes` null: unlimited or unknown, which `state` tells apart. */
export type Quota = {
  readonly state: 'KNOWN' | 'UNLIMITED' | 'UNKNOWN'
  readonly usedBytes: number
  readonly totalBytes: number | null
  readonly reservedBytes: number
  /** Bytes of new files that have room, counting copies; null: no limit is known. Absent: what is neither used nor reserved. */
  readonly freeBytes?: number | null
}

export type Account = {
  readonly id: string
  readonly provider: string
  readonly name: string
  readonly email: string | null
  readonly status: 'CONNECTED' | 'EXPIRED'
  /** Message that says why it expired; null while it is connected. */
  readonly statusReason: string | null
  /** Since when the provider has not answered; null while it does. */
  readonly unreachableSince: Date | null
  readonly hue: number
  readonly quota: Quota
  readonly createdAt: Date
}

/** A provider of the catalogue, and whether it can be connected on this server. */
export type Provider = ProviderInfo

export type ProviderField = FormField

/** Where a browser begins an authorization. */
export type Authorization = {
  readonly state: string
  readonly clientId: string
  readonly codeChallenge: string
  /** With all parameters, state and challenge included. */
  readonly url: string
}

/** `fields`: what was typed in, by the names of the provider's fields. */
export type ConnectByFormInput = { readonly name: string; readonly fields: FormValues }

export type ConnectInput = { readonly code: string; readonly name: string; readonly state?: string | undefined }

/** What would happen to files if the account were gone. Permanently deleted files are not counted. */
export type LossPreview = {
  /** Their only complete copy is there. */
  readonly lostFiles: number
  readonly lostBytes: number
  /** Have another copy elsewhere. */
  readonly keptFiles: number
}

/** `error` is a message when the provider could not be asked; `quota` is then the last known one. */
export type QuotaReading = { readonly accountId: string; readonly quota: Quota; readonly error: string | null }

export interface AccountsService {
  providers(): readonly Provider[]
  /** The name of a provider for people. */
  providerName(provider: string): string
  /** The shape that stands for a provider. */
  providerGlyph(provider: string): Glyph
  /** How accounts of a provider are connected; null for this server. */
  connectsBy(provider: string): Provider['connectsBy']
  /** The name of the provider that made a public link; null when no provider made it. */
  providerOfLink(url: string): string | null
  /** Oldest first; those that were disconnected are not among them. */
  list(viewer: Viewer, provider?: string): Promise<Account[]>
  /** In the order asked; null for what is not the viewer's or was disconnected. */
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(Account | null)[]>
  /** Sum over all accounts but the expired ones; totalBytes null as soon as one is unknown or unlimited. */
  quota(viewer: Viewer): Promise<Quota>
  /** Asks the providers, at most once a minute per account; never throws for one of them. @throws NotFoundError */
  readQuotas(viewer: Viewer, ids: readonly string[]): Promise<QuotaReading[]>
  /** The client id of a provider. @throws ProviderUnavailableError */
  clientId(provider: string): string
  /** Begins to connect an account, or to reconnect `accountId`: state and PKCE verifier are kept here, bound to session, provider and purpose. @throws ProviderUnavailableError, NotFoundError */
  authorize(viewer: Viewer, provider: string, origin: string, accountId?: string): Promise<Authorization>
  /**
   * Exchanges a code against a live state of the same session and provider. The new account joins no group cloud by itself.
   * @throws InvalidInputError (a blank name), AuthorizationFailedError (state or code), AccountConnectedError (it is connected already), ProviderUnavailableError, ProviderFailedError
   */
  connect(viewer: Viewer, provider: string, input: ConnectInput, origin: string): Promise<Account>
  /** Keeps the id. @throws as connect; OtherLoginError when it is a different login, and nothing changes */
  reconnect(
    viewer: Viewer,
    id: string,
    input: { code: string; state?: string | undefined },
    origin: string,
  ): Promise<Account>
  /**
   * Connects an account of a provider with a form. The new account joins no group cloud by itself.
   * @throws InvalidInputError (`name`, `fields.<name>`), AuthorizationFailedError (the provider refuses the values), AccountConnectedError, ProviderUnavailableError, ProviderFailedError
   */
  connectByForm(viewer: Viewer, provider: string, input: ConnectByFormInput): Promise<Account>
  /** Keeps the id. @throws as connectByForm; OtherLoginError when it is a different login, and nothing changes */
  reconnectByForm(viewer: Viewer, id: string, fields: FormValues): Promise<Account>
  /** @throws NotFoundError, InvalidInputError */
  update(viewer: Viewer, id: string, patch: { name?: string | undefined; hue?: number | undefined }): Promise<Account>
  /** How many of an account's files are at risk; accounts without any may be left out. */
  atRiskFiles(viewer: Viewer, ids: readonly string[]): Promise<Map<string, number>>
  /** @throws NotFoundError */
  previewLoss(viewer: Viewer, id: string): Promise<LossPreview>
  /**
   * Revokes at the provider, erases the credentials, leaves all group clouds. Nothing at the provider is deleted. Connecting the
   * same login again brings it back, and with it what was lost. @throws NotFoundError, FilesWouldBeLostError unless `force`, ConflictError for `local`
   */
  disconnect(viewer: Viewer, id: string, force: boolean): Promise<void>
}
