import type { Readable } from 'node:stream'
import type { FormField, FormValues } from '../providers/driver.ts'
import type { Glyph, ProviderInfo } from '../providers/providers.ts'
import type { ByteSource } from '../storage/byteSource.ts'
import type { ChangesService } from './changes/service.ts'
import type { DomainError } from './errors.ts'
import type { ActivityService } from './services/activity.ts'
import type { AdministrationService } from './services/administration.ts'
import type { KeysService } from './services/keys.ts'
import type { PeopleService, RecoveryService } from './services/people.ts'
import type { SharesService } from './services/shares.ts'
import type { TelegramService } from './services/telegram.ts'
import type { Viewer } from './viewer.ts'

/**
 * What the three doors (GraphQL, REST, jobs) may ask of the domain. Ids are database ids (UUID), sizes are bytes as numbers,
 * times are Dates; a caller's right is checked inside, and what is not the viewer's throws NotFoundError.
 */
export type Services = {
  readonly users: UsersService
  readonly administration: AdministrationService
  readonly people: PeopleService
  readonly recovery: RecoveryService
  readonly accounts: AccountsService
  readonly groupClouds: GroupCloudsService
  readonly files: FilesService
  readonly uploads: UploadsService
  readonly transfers: TransfersService
  readonly activity: ActivityService
  readonly changes: ChangesService
  readonly keys: KeysService
  readonly shares: SharesService
  readonly telegram: TelegramService
}

export type User = {
  readonly id: string
  readonly fullName: string
  readonly email: string
  readonly role: 'MEMBER' | 'ADMINISTRATOR'
  readonly createdAt: Date
}

/** Where a request comes from, for throttling and the session list. */
export type Client = {
  readonly address: string
  readonly userAgent: string
  /** What this browser was given when the user signed in on it (`SignedIn.device`); null for none. */
  readonly deviceOf?: (userId: string) => string | null
}
/** `token` goes into the cookie and nowhere else; `expiresAt` is null for a cookie that ends with the browser. */
export type SignedIn = {
  readonly user: User
  readonly token: string
  readonly expiresAt: Date | null
  /** For a long-lived cookie: a browser that shows it is not held up by what strangers have guessed. */
  readonly device: string
}

export interface UsersService {
  /**
   * Makes user, `local` account and default group cloud in one transaction, and signs in. The first user becomes the administrator,
   * whatever the mode. `invitation`: the token of one, which is used up.
   * @throws InvalidInputError, EmailTakenError, TooManyRequestsError, RegistrationClosedError, InvalidTokenError
   */
  register(
    input: { fullName: string; email: string; password: string; invitation?: string | undefined },
    client: Client,
  ): Promise<SignedIn>
  /**
   * Same answer and timing for an unknown address and a wrong password. Attempts of a device that the user has signed in on are
   * counted apart from all others. @throws UnauthenticatedError, TooManyRequestsError
   */
  login(input: { email: string; password: string; rememberMe: boolean }, client: Client): Promise<SignedIn>
  /** The viewer of a live session by its cookie token; null otherwise. One indexed statement. */
  viewerOf(token: string): Promise<Viewer | null>
  /** Whether the viewer's session or key still lives. Asking does not count as activity: an open stream keeps no session alive. */
  isLive(viewer: Viewer): Promise<boolean>
  /** Ends the session at once. Idempotent. */
  logout(viewer: Viewer): Promise<void>
  /** @throws UnauthenticatedError when the user is gone */
  me(viewer: Viewer): Promise<User>
}

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
  /** Why it is expired, in words; null while it is connected. */
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

/** What would happen to files if the account were gone. Counts are of files that are not deleted for good. */
export type LossPreview = {
  /** Their only complete copy is there. */
  readonly lostFiles: number
  readonly lostBytes: number
  /** Have another copy elsewhere. */
  readonly keptFiles: number
}

/** `error` in words when the provider could not be asked; the quota is then the last known one. */
export type QuotaReading = { readonly accountId: string; readonly quota: Quota; readonly error: string | null }

export interface AccountsService {
  providers(): readonly Provider[]
  /** The name of a provider for people. */
  providerName(provider: string): string
  /** The shape that stands for a provider. */
  providerGlyph(provider: string): Glyph
  /** How accounts of a provider are connected; null for this server. */
  connectsBy(provider: string): Provider['connectsBy']
  /** The name of the provider whose public link that is; null when it is nobody's. */
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

export type PlacementRule = 'MOST_FREE' | 'IN_ORDER' | 'ROUND_ROBIN'

export type GroupCloudMember = {
  readonly accountId: string
  readonly position: number
  readonly keepFreeBytes: number
  /** Takes no new files; what it holds moves to the other members, and then it leaves. */
  readonly draining: boolean
}

export type GroupCloud = {
  readonly id: string
  readonly name: string
  readonly defaultUploadGroup: boolean
  readonly placement: PlacementRule
  readonly copies: number
  readonly spanning: boolean
  readonly members: readonly GroupCloudMember[]
  /** Sum of what is known of its members, without those that have expired. */
  readonly quota: Quota
  readonly createdAt: Date
}

export type GroupCloudHealth = {
  readonly files: number
  readonly bytes: number
  /** Cannot be read whole now, or have fewer copies than the rule asks for and none is on its way. */
  readonly atRiskFiles: number
  /** Have a copy on its way. */
  readonly storingFiles: number
  /** One sentence for people. */
  readonly summary: string
}

/** Where a file of `size` bytes would go now. */
export type PlacementPreview = {
  readonly placed: boolean
  /** In words, with the reason. */
  readonly why: string
  /** One line per copy: accounts in the order of their pieces. */
  readonly copies: readonly { readonly pieces: readonly { readonly accountId: string; readonly size: number }[] }[]
}

export type GroupCloudInput = {
  readonly name: string
  readonly accountIds?: readonly string[] | undefined
  readonly placement?: PlacementRule | undefined
  readonly copies?: number | undefined
  readonly spanning?: boolean | undefined
  readonly defaultUploadGroup?: boolean | undefined
}

/** What is undefined stays as it is. */
export type GroupCloudPatch = { readonly [Field in keyof GroupCloudInput]?: GroupCloudInput[Field] | undefined } & {
  /** By account; accounts that are not named keep theirs. */
  readonly keepFreeBytes?: Readonly<Record<string, number>> | undefined
}

/** What happens to the files of a group cloud that is deleted. */
export type FilesOfDeleted = { readonly moveTo: string } | 'TRASH'

export interface GroupCloudsService {
  /** Default first, then by name. */
  list(viewer: Viewer): Promise<GroupCloud[]>
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(GroupCloud | null)[]>
  /** Without accountIds all accounts of the viewer become members. @throws InvalidInputError, NotFoundError, NameTakenError */
  create(viewer: Viewer, input: GroupCloudInput, idempotencyKey?: string): Promise<GroupCloud>
  /**
   * Making one the default takes the mark from the other in the same transaction. `accountIds` is the new order of members; one
   * that is left out and holds files of this group cloud is a ConflictError: drain it. More copies than before are made by
   * repair, surplus ones removed. @throws as create, ConflictError
   */
  update(viewer: Viewer, id: string, patch: GroupCloudPatch): Promise<GroupCloud>
  /** Begins (or, false, stops) to empty a member into the others; it leaves when nothing is left on it. @throws NotFoundError, ConflictError when it is the last one */
  drain(viewer: Viewer, id: string, accountId: string, draining: boolean): Promise<GroupCloud>
  /** @throws NotFoundError, ConflictError for the default one, the last one, and one that still holds files when `files` is not given */
  remove(viewer: Viewer, id: string, files?: FilesOfDeleted): Promise<void>
  health(viewer: Viewer, ids: readonly string[]): Promise<Map<string, GroupCloudHealth>>
  /** `quota.freeBytes` if the account became a member; as it is when it is one. @throws NotFoundError */
  roomWith(viewer: Viewer, id: string, accountId: string): Promise<number | null>
  /** @throws NotFoundError */
  previewPlacement(viewer: Viewer, id: string, size: number): Promise<PlacementPreview>
  /** In the order asked, by the same number of statements however many; null for what is not the viewer's. */
  previewPlacements(
    viewer: Viewer,
    questions: readonly { readonly id: string; readonly size: number }[],
  ): Promise<(PlacementPreview | null)[]>
}

export type FileKind = 'FILE' | 'FOLDER'
/** In the order in which people are shown them. */
export const FILE_CATEGORIES = [
  'FOLDER',
  'IMAGE',
  'PDF',
  'VIDEO',
  'AUDIO',
  'TEXT',
  'DOCUMENT',
  'SPREADSHEET',
  'PRESENTATION',
  'OTHER',
] as const
export type FileCategory = (typeof FILE_CATEGORIES)[number]
export type FileState = 'RECEIVED' | 'STORING' | 'STORED' | 'AT_RISK'
export type FileView = 'ALL' | 'DRIVE' | 'SHARED' | 'STARRED' | 'TRASH'
export type OnConflict = 'RENAME' | 'REPLACE' | 'FAIL'
export type FileSort = { readonly field: 'NAME' | 'MODIFIED' | 'SIZE'; readonly direction: 'ASC' | 'DESC' }

export type File = {
  readonly id: string
  readonly parentId: string | null
  readonly kind: FileKind
  readonly name: string
  readonly category: FileCategory
  readonly mimeType: string | null
  readonly size: number
  /** Lower-case hex; null for folders. */
  readonly sha256: string | null
  readonly state: FileState
  readonly stateReason: string | null
  readonly groupCloudId: string | null
  readonly starred: boolean
  /** Live entries of a folder; 0 for files. */
  readonly childCount: number
  readonly trashedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type ListFiles = {
  readonly view: FileView
  /** DRIVE only, null is the root; ignored while `query` is given, which searches the whole view. */
  readonly parentId?: string | null | undefined
  /** Substring of the name, any case, accents folded. */
  readonly query?: string | undefined
  readonly categories?: readonly FileCategory[] | undefined
  readonly groupCloudId?: string | undefined
  readonly provider?: string | undefined
  readonly accountId?: string | undefined
  readonly states?: readonly FileState[] | undefined
  /** Default: DRIVE by NAME ASC (folders first), TRASH by time of deletion, all others MODIFIED DESC. */
  readonly sort?: FileSort | undefined
  /** Where a folder is listed; true unless given. */
  readonly foldersFirst?: boolean | undefined
  /** 1 to 200. */
  readonly limit: number
  /** Cursor: only what stands after it. @throws InvalidInputError when it is not one of this list */
  readonly after?: string | undefined
  /** Cursor: only what stands at or before it. */
  readonly until?: string | undefined
  /** Only what was there already at this time. */
  readonly createdUntil?: Date | undefined
  /** TRASH only: what went into the trash from then on. */
  readonly trashedFrom?: Date | undefined
  readonly trashedUntil?: Date | undefined
  /** All but these. */
  readonly exceptIds?: readonly string[] | undefined
}

/** Everything that a list shows, whatever its order. */
export type SelectedFiles = Omit<ListFiles, 'sort' | 'limit' | 'after' | 'until'>

/** Entries by their ids, at most 10,000, or by what they have in common. */
export type WhichFiles = { readonly ids: readonly string[] } | { readonly list: SelectedFiles }

export type FilesSummary = {
  /** When it was counted, by the database's clock: `createdUntil` of a change that is to affect these alone. */
  readonly asOf: Date
  readonly count: number
  readonly files: number
  readonly folders: number
  /** Of the files among them; what is in the folders is not part of it. */
  readonly bytes: number
  /** Types without entries are left out. */
  readonly categories: readonly CategoryUsage[]
}

/** What can be done to many entries at once, each by itself. */
export type EachAction =
  | { readonly kind: 'TRASH' | 'RESTORE' | 'REMOVE' }
  | { readonly kind: 'MOVE'; readonly parentId: string | null; readonly onConflict?: OnConflict | undefined }
  | { readonly kind: 'STAR'; readonly starred: boolean }
  | { readonly kind: 'ASSIGN'; readonly groupCloudId: string }

/** How one of many fared: as it is now (null when it is gone), or why nothing happened to it. */
export type EachOutcome = { readonly id: string } & (
  | { readonly file: File | null; readonly error: null }
  | { readonly file: null; readonly error: DomainError }
)

export type ChangeSelection = {
  readonly list: SelectedFiles
  readonly action: EachAction
  /** `next` of the call before. */
  readonly after?: string | undefined
}

export type SelectionChanged = {
  readonly changedCount: number
  readonly failedCount: number
  /** The first 100 of those that were refused. */
  readonly failures: readonly { readonly file: File; readonly error: DomainError }[]
  /** The first 100 of those that were changed, as they were before. */
  readonly sample: readonly File[]
  /** Set while there is more: goes into `after` of the next call. */
  readonly next: string | null
  /** When this call began and ended, by the database's clock: what it put into the trash went there between the two. */
  readonly from: Date
  readonly until: Date
}

export type FilePage = {
  readonly items: readonly { readonly file: File; readonly cursor: string }[]
  readonly hasNextPage: boolean
}

export type Copy = {
  readonly id: string
  readonly state: 'STORING' | 'STORED' | 'MISSING'
  readonly why: string
  /** Since when an account has another version in its place, which somebody made there and Skypool leaves alone. */
  readonly changedAt: Date | null
  /** When all of its pieces were last seen to be whole where they are; null while it is no whole copy. */
  readonly checkedAt: Date | null
  readonly pieces: readonly {
    readonly accountId: string
    readonly provider: string
    readonly index: number
    readonly offset: number
    readonly size: number
    readonly state: 'PLANNED' | 'STORED'
  }[]
}

export type FilePatch = {
  readonly name?: string | undefined
  readonly parentId?: string | null | undefined
  readonly starred?: boolean | undefined
  readonly trashed?: boolean | undefined
  readonly groupCloudId?: string | undefined
}

export type CopyFiles = {
  readonly ids: readonly string[]
  /** null is the root. */
  readonly parentId: string | null
  /** Where the new files belong; undefined: each where its original does. */
  readonly groupCloudId?: string | undefined
}

/** What the files of one type take. */
export type CategoryUsage = { readonly category: FileCategory; readonly files: number; readonly bytes: number }

export type Archive = { readonly name: string; readonly stream: Readable }

/** Every method that takes ids acts on all of them or on none; at most 10,000. */
export interface FilesService {
  /** A constant number of statements; the cost does not depend on the folder's size. @throws NotFoundError for a parentId that is not a live folder of the viewer */
  list(viewer: Viewer, options: ListFiles): Promise<FilePage>
  get(viewer: Viewer, id: string): Promise<File>
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(File | null)[]>
  /** Ancestors of each, root first. */
  paths(viewer: Viewer, ids: readonly string[]): Promise<Map<string, File[]>>
  copies(viewer: Viewer, ids: readonly string[]): Promise<Map<string, Copy[]>>
  /** Distinct account ids that hold bytes of each file. */
  storedIn(viewer: Viewer, ids: readonly string[]): Promise<Map<string, string[]>>
  /** What files take by their type, the trash included; types without files are left out. */
  storageByType(viewer: Viewer): Promise<CategoryUsage[]>
  /** How many live files are at risk. */
  countAtRisk(viewer: Viewer): Promise<number>
  /** Bytes of all live files below a folder. */
  contentSize(viewer: Viewer, id: string): Promise<number>
  /** @throws InvalidInputError, NotFoundError, NameTakenError */
  createFolder(viewer: Viewer, input: { name: string; parentId: string | null }, idempotencyKey?: string): Promise<File>
  /** `ifMatch`: the entry has one of these ETags. @throws InvalidInputError, NotFoundError, NameTakenError, PreconditionFailedError */
  rename(viewer: Viewer, id: string, name: string, ifMatch?: readonly string[]): Promise<File>
  /**
   * The folder that these names lead to from `parentId` (`parentId` itself for no names), and the folders on the way that were
   * missing and are made now. @throws InvalidInputError, NotFoundError, NameTakenError where a file has one of the names
   */
  makeFolders(
    viewer: Viewer,
    parentId: string | null,
    names: readonly string[],
  ): Promise<{ readonly id: string | null; readonly made: readonly File[] }>
  /** The live entry that these names lead to from the root, each in any case. @throws NotFoundError */
  byPath(viewer: Viewer, names: readonly string[]): Promise<File>
  /** @throws NotFoundError, FolderCycleError, NameTakenError (only with FAIL; RENAME, the default, numbers) */
  move(viewer: Viewer, ids: readonly string[], parentId: string | null, onConflict?: OnConflict): Promise<File[]>
  /**
   * New files of the same bytes, and with folders all that is in them; names that are taken are numbered. Answers with what stands
   * in the target folder now, in the order asked. At most 1,000 files and as many folders. Refused before the first byte: what is in
   * the trash, what cannot be read, and what has no room as far as that is known. What fails later, the end of the server or its
   * death leave the files that were finished, folders among them that are not full, and nothing half; under the same key the call
   * goes on from there. It goes on too when nobody waits for the answer any more.
   * @throws InvalidInputError, NotFoundError, FolderCycleError, StorageFullError, ContentUnavailableError, IdempotencyKeyReusedError
   */
  copy(viewer: Viewer, input: CopyFiles, idempotencyKey?: string): Promise<File[]>
  /**
   * The version that somebody made of a copy in its account, as a file of its own beside the old one. It stays in the account too.
   * @throws NotFoundError, ConflictError when there is no such version, StorageFullError, ContentUnavailableError
   */
  keepVersion(viewer: Viewer, copyId: string): Promise<File>
  star(viewer: Viewer, ids: readonly string[], starred: boolean): Promise<File[]>
  /** Idempotent: what is in the trash stays there. */
  trash(viewer: Viewer, ids: readonly string[]): Promise<File[]>
  /** To the old place, or to the nearest ancestor that is left; numbered when the name is taken. */
  restore(viewer: Viewer, ids: readonly string[]): Promise<File[]>
  /** Permanently, wherever they are. Bytes go by job; quota is free at once. */
  remove(viewer: Viewer, ids: readonly string[], ifMatch?: readonly string[]): Promise<void>
  /** Into the trash; what is there already, by itself or below something, permanently. */
  discard(viewer: Viewer, id: string, ifMatch?: readonly string[]): Promise<void>
  /**
   * Each by itself, and in the order asked: one that cannot be changed does not stop the others.
   * @throws InvalidInputError for more than 10,000, NotFoundError when the target folder or group cloud is not there
   */
  changeEach(viewer: Viewer, ids: readonly string[], action: EachAction): Promise<EachOutcome[]>
  /** The same with everything that a list shows, up to 5,000 entries per call. @throws as changeEach and list */
  changeSelection(viewer: Viewer, input: ChangeSelection): Promise<SelectionChanged>
  /** Ids of what is not the viewer's, or gone, count for nothing. @throws InvalidInputError, NotFoundError */
  summarize(viewer: Viewer, which: WhichFiles): Promise<FilesSummary>
  /** Bytes of the files among them and of all live files below the folders among them, each once. @throws as summarize */
  bytesOf(viewer: Viewer, which: WhichFiles): Promise<number>
  /** Ids of the accounts that hold bytes of them. @throws as summarize */
  accountsOf(viewer: Viewer, which: WhichFiles): Promise<string[]>
  /** How many trashed entries were removed. */
  emptyTrash(viewer: Viewer): Promise<number>
  /** All of the patch or nothing. @throws as rename, move, trash, restore */
  update(viewer: Viewer, id: string, patch: FilePatch, ifMatch?: readonly string[]): Promise<File>
  /**
   * Lets files belong to another group cloud, and with folders all files below them. Their bytes move to its members by transfers;
   * until then they stay where they are. @throws NotFoundError
   */
  moveToGroupCloud(viewer: Viewer, ids: readonly string[], groupCloudId: string): Promise<File[]>
  /** The bytes of a file; `toKeep` says that they are not just to be shown. @throws NotFoundError, also for folders; ContentUnavailableError */
  open(viewer: Viewer, id: string, options?: { readonly toKeep?: boolean }): Promise<{ file: File; source: ByteSource }>
  /** Files and folders as a streamed ZIP64 with stored entries. @throws NotFoundError */
  archive(viewer: Viewer, ids: readonly string[]): Promise<Archive>
}

export type UploadInput = {
  readonly name: string
  /** What the client claims; the content decides. */
  readonly mimeType?: string | undefined
  /** null: not known beforehand (chunked). */
  readonly size: number | null
  /** The body is no longer than this. */
  readonly atMostBytes?: number | undefined
  readonly groupCloudId?: string | undefined
  readonly parentId?: string | null | undefined
  readonly onConflict?: OnConflict | undefined
  /** What the content must hash to, in lower-case hex. */
  readonly sha256?: string | undefined
  /** The file of the same user whose bytes these are: where an account has them already, they are copied there. */
  readonly copiedFrom?: string | undefined
}

/** What a resumable upload begins with. */
export type NewUpload = Omit<UploadInput, 'size' | 'copiedFrom'> & {
  /** null: said later, by the request that knows it. */
  readonly size: number | null
  readonly metadata?: Readonly<Record<string, string | null>> | undefined
  /** A part of a later upload (`concatenate`): it becomes no file, so its name does not count. */
  readonly isPart?: boolean | undefined
}

/** A resumable upload that is put together from others, in their order. */
export type Concatenation = Omit<NewUpload, 'size' | 'isPart'> & {
  readonly partIds: readonly string[]
  /** As the client named them (tus Upload-Concat). */
  readonly concat: string
}

export type Upload = {
  readonly id: string
  readonly name: string
  /** null: not said yet. */
  readonly size: number | null
  /** Bytes safely received. */
  readonly offset: number
  /** As the client sent it (tus Upload-Metadata). */
  readonly metadata: Readonly<Record<string, string | null>>
  /** `partial`, or `final;` and its parts (tus Upload-Concat); null for any other upload. */
  readonly concat: string | null
  readonly expiresAt: Date
  /** Set once it has become a file. */
  readonly fileId: string | null
}

/** A file, and where its bytes are. */
export type StoredFile = File & { readonly copies: readonly Copy[] }

export type Checksum = { readonly algorithm: 'sha1' | 'sha256' | 'md5'; readonly digest: Buffer }

export interface UploadsService {
  /** One request, whole file: streams to staging, hashes, checks, commits; resolving means durable.
   * @throws InvalidInputError, NotFoundError, NameTakenError, StorageFullError, TypeRefusedError, UploadIncompleteError, ChecksumMismatchError, IdempotencyKeyReusedError */
  receive(viewer: Viewer, input: UploadInput, body: Readable, idempotencyKey?: string): Promise<StoredFile>
  /** Opens a resumable upload and reserves its bytes, as far as they are known. @throws as receive */
  create(viewer: Viewer, input: NewUpload, idempotencyKey?: string): Promise<Upload>
  /**
   * Puts complete parts together into a new upload and makes it a file; what they reserve is its room. Repeating it answers with
   * the same upload. Resolving means durable; until then the parts stay. @throws as receive, ConflictError when a part went into another upload
   */
  concatenate(viewer: Viewer, input: Concatenation): Promise<Upload>
  /** How far it is now: makes what has arrived durable, and ends a request whose sender is silent. */
  get(viewer: Viewer, id: string): Promise<Upload>
  /** What is known of it without that: its offset is that of the last request that ended. */
  find(viewer: Viewer, id: string): Promise<Upload>
  /** Appends at `offset`; resolves with the new offset, durable. What arrived before the body broke is kept; a wrong checksum keeps nothing.
   * `size` is the upload's, where it was not known before. @throws UploadOffsetMismatchError, ChecksumMismatchError, NotFoundError,
   * TooLargeError, StorageFullError, InvalidInputError for a size that contradicts what is known */
  append(
    viewer: Viewer,
    id: string,
    offset: number,
    body: Readable,
    checksum?: Checksum,
    size?: number,
  ): Promise<number>
  /** Turns a complete upload into a file; repeating it answers with the same file. @throws as receive */
  finish(viewer: Viewer, id: string): Promise<File>
  /** Ends a request that is at work on it; frees the reservation and the staged bytes. A file made of it stays. @throws NotFoundError */
  remove(viewer: Viewer, id: string): Promise<void>
}

export type TransferKind = 'STORE' | 'REPAIR' | 'MOVE' | 'DRAIN'
export type TransferState = 'WAITING' | 'RUNNING' | 'PAUSED' | 'PARKED' | 'DONE' | 'FAILED' | 'CANCELLED'

/** A copy on its way to its accounts. */
export type Transfer = {
  readonly id: string
  readonly fileId: string
  readonly fileName: string
  readonly mimeType: string | null
  readonly kind: TransferKind
  readonly state: TransferState
  readonly totalBytes: number
  /** Confirmed by the providers. */
  readonly sentBytes: number
  /** Over the last seconds, while it runs; null when nothing can be said. */
  readonly bytesPerSecond: number | null
  readonly accountIds: readonly string[]
  /** Why these accounts, in words. */
  readonly why: string
  /** What stopped it, or what it waits for, in words. */
  readonly error: string | null
  readonly nextTryAt: Date | null
  readonly createdAt: Date
  readonly endedAt: Date | null
}

export type ListTransfers = {
  /** Only those that are not over, or only those that are. */
  readonly open?: boolean | undefined
  readonly limit: number
  readonly after?: string | undefined
}

export type TransferPage = {
  readonly items: readonly { readonly transfer: Transfer; readonly cursor: string }[]
  readonly hasNextPage: boolean
}

export interface TransfersService {
  /** Those that are not over, and those that ended within the last 24 hours; newest first, at most 200. */
  list(viewer: Viewer, options?: { readonly open?: boolean | undefined }): Promise<Transfer[]>
  /** The same ones, however many they are. @throws InvalidInputError for a cursor of another list */
  page(viewer: Viewer, options: ListTransfers): Promise<TransferPage>
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(Transfer | null)[]>
  /** Idempotent. What the provider has confirmed stays there. @throws NotFoundError, ConflictError when it is over */
  pause(viewer: Viewer, id: string): Promise<Transfer>
  /** @throws as pause */
  resume(viewer: Viewer, id: string): Promise<Transfer>
  /** Gives the copy up and removes what was stored of it; the file itself stays where it was. @throws as pause */
  cancel(viewer: Viewer, id: string): Promise<Transfer>
  /** Again from where it stopped, with a new plan where accounts have changed. @throws NotFoundError, ConflictError unless it is PARKED, FAILED or CANCELLED */
  retry(viewer: Viewer, id: string): Promise<Transfer>
}
