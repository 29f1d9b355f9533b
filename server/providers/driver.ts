import type { Readable } from 'node:stream'
import type { HashAlgorithm } from '../lib/contentHash.ts'
import type { ExportType } from './exportTypes.ts'

export type { HashAlgorithm }

/** An object's id, opaque outside the driver that issued it: a Drive id, a Dropbox id, an object id of this server. */
export type EntryRef = string & { readonly __brand: 'EntryRef' }
/** A call ends when `signal` aborts; `requestId` identifies it in the log. */
export type Call = {
  readonly signal: AbortSignal
  readonly requestId: string
  /** A reader waits for it and has no other source: while the circuit of the account is open, one such call is let through. */
  readonly lastChance?: boolean
  /** The longest pause (ms) asked for by the service that the call waits for; a longer one rejects at once. A minute by default. */
  readonly patienceMs?: number
}
/** Inclusive, as in HTTP. */
export type ByteRange = { readonly start: number; readonly end: number }
export type Page<Item> = { readonly items: readonly Item[]; readonly cursor: string | null }

/** `subject` is the provider's stable id of the login, never an email address. */
export type Identity = {
  readonly subject: string
  readonly email: string | null
  readonly name: string | null
  /** For people, without secrets: where the files are, as `user@host` or `host/bucket`, if the email address does not say it. */
  readonly place?: string | null
}

/** Unknown is unknown and unlimited is unlimited: neither is zero. */
export type ProviderQuota = {
  readonly state: 'KNOWN' | 'UNLIMITED' | 'UNKNOWN'
  /** Everything that counts against the quota, not only Skypool's files; null when the provider does not report it. */
  readonly usedBytes: number | null
  /** A number exactly when `state` is KNOWN. */
  readonly totalBytes: number | null
  /** Size of the service's trash, which counts in `usedBytes`; null or absent when the provider does not report it. */
  readonly trashBytes?: number | null
}

/** Document that exists only at its provider: it has no bytes, and can be opened there or exported. SHORTCUT: points to another entry. */
export type NativeKind = 'DOCUMENT' | 'SPREADSHEET' | 'PRESENTATION' | 'DRAWING' | 'SHORTCUT' | 'OTHER'

/** What the provider allows the user of the account to do with an entry. `write`: change the content of a file, add to a folder. */
export type EntryRights = {
  readonly read: boolean
  readonly write: boolean
  readonly rename: boolean
  readonly move: boolean
  readonly delete: boolean
  readonly share: boolean
}

/** The extra root with what others share with the account, in services that keep it apart from the account's own tree. */
export const SHARED_WITH_ME = 'shared-with-me' as EntryRef

/** A tree in addition to the account's own one. */
export type ExtraRoot = { readonly ref: EntryRef; readonly name: string }

/** What an index of the account needs of an entry. */
export type EntryDetails = {
  /**
   * The folder that contains it, by the ref that the provider reports (for `Driver.root`: its real id). Null where the service names
   * folders by path (see `Entry.path`), and for entries that are in no folder. What others share with the account, outside of every
   * folder that it can see, is in SHARED_WITH_ME.
   */
  readonly parent: EntryRef | null
  /** An extra root (see `Driver.roots`), as a folder in the account's own root. */
  readonly isExtraRoot?: boolean
  readonly mimeType: string | null
  readonly createdAt: Date | null
  /** Changes whenever the content changes; null for folders. */
  readonly revision: string | null
  /** The provider's web page of it. */
  readonly webUrl: string | null
  readonly nativeKind: NativeKind | null
  /** The formats in which `Driver.export` returns it; empty for entries with bytes, and where there are none. */
  readonly exportTypes: readonly ExportType[]
  /** SHORTCUT only: what it points to. */
  readonly target: EntryRef | null
  readonly rights: EntryRights
}

export type Entry = {
  readonly ref: EntryRef
  readonly name: string
  readonly kind: 'file' | 'folder'
  /** null for folders and native documents. */
  readonly size: number | null
  readonly modifiedAt: Date | null
  /** Lower-case hex, of the algorithm in `capabilities.hash`; null for folders and where the service has none. */
  readonly hash: string | null
  /**
   * `/folder/name`, case-folded so that equal strings mean the same place. Only for services that report deletions by path: see
   * `Change`.
   */
  readonly path?: string
  /** In the results of stat, list, listAll and changes of every driver that has `listAll`. */
  readonly details?: EntryDetails
}

export type NewEntry = {
  readonly parent: EntryRef
  readonly name: string
  readonly size: number
  readonly mimeType: string | null
  /** The time that the provider shows; by default now. Ignored by services that do not take one. */
  readonly modifiedAt?: Date | undefined
  /** The file of that name in the folder, which gets this content and keeps its ref; only where `capabilities.overwrites`. */
  readonly replaces?: Replaced | undefined
}

/** A file to overwrite. If it has another revision by then, or is gone, that is a Conflict and nothing changes. */
export type Replaced = { readonly ref: EntryRef; readonly revision: string }

/** A content that can be read repeatedly from any byte, for retries. `open(start)` yields the bytes from `start` to the end. */
export type Content = { readonly size: number; open(start: number): Readable }

/** State of an upload, with which a put can continue after a restart, in another process. */
export type PutProgress = {
  /** The last value passed to `save`, or null for a new upload. */
  readonly session: string | null
  /** Stores the session durably before it resolves. A session can be a credential. */
  readonly save: (session: string) => Promise<void>
  /** Bytes that the provider has confirmed so far. */
  readonly onProgress: (committedBytes: number) => void
  /**
   * Whether an object belongs to another piece or is queued for removal. For services that identify an upload by its name alone: such
   * an object must not be taken for the result of this upload.
   */
  readonly isTaken?: IsNeeded
}

/** The arguments of `Driver.put`, for the functions that it consists of. */
export type PutRequest = {
  readonly call: Call
  readonly entry: NewEntry
  readonly content: Content
  readonly progress: PutProgress
}

/** What a copy saves before the service is called. */
export type CopyProgress = {
  /** Hash of the content by `capabilities.hash`: identifies the copy where a service identifies it by its name alone. */
  readonly hash: string
  /** As in PutProgress. */
  readonly save: PutProgress['save']
}

/** Whether something else refers to an object. */
export type IsNeeded = (ref: EntryRef) => Promise<boolean>

/** The body yields exactly the requested range (of an export: everything), or breaks with a ProviderError. The caller consumes or destroys it. */
export type Download = { readonly body: Readable }

/**
 * The latest state of one entry. `entry` null: deleted or in the trash; `kind` is what it was, where the service reports it.
 * Services that report deletions by path have `path` instead of `ref`: the entry and everything below it is gone from there. An
 * entry that was moved has another change, before or after this one.
 */
export type Change =
  | { readonly ref: EntryRef; readonly entry: Entry | null; readonly kind?: Entry['kind'] }
  | { readonly ref: null; readonly path: string; readonly entry: null }
/** `hasMore`: call again at once with `cursor`. */
export type ChangePage = { readonly changes: readonly Change[]; readonly cursor: string; readonly hasMore: boolean }

export type ShareLink = { readonly url: string; readonly expiresAt: Date | null }

/** Properties of the service, the same for all its accounts. */
export type Capabilities = {
  /** Algorithm of Entry.hash; null when the service reports no hashes, so that stored objects have to be read back. */
  readonly hash: HashAlgorithm | null
  /** Two entries of a folder may have the same name. */
  readonly duplicateNames: boolean
  readonly caseSensitive: boolean
  readonly maxObjectBytes: number | null
  /** Longest name, in `nameUnit`s. */
  readonly maxNameLength: number
  readonly nameUnit: 'utf16' | 'bytes'
  /** Whether the service is known to refuse a file's name, whatever its length; absent: it refuses none. */
  readonly refusesName?: (name: string) => boolean
  /** Concurrent calls per account. */
  readonly maxConcurrency: number
  /** Concurrent uploads per account: some services serialise writes. */
  readonly maxConcurrentWrites: number
  /**
   * Refs are paths: what is moved or renamed has another ref, and so has everything below it, with the same end. Absent: refs are
   * ids, which stay.
   */
  readonly pathRefs?: boolean
  /** put() can overwrite a file; absent: it cannot. */
  readonly overwrites?: boolean
  /** put() continues a saved session instead of starting over. */
  readonly resumable: boolean
  /** What is read can differ from what was stored, in size and bytes: no copy there replaces an original. Absent: it cannot. */
  readonly altersContent?: boolean
  /** Whether the service may change the content of a file with this name when it stores it; absent: of none. */
  readonly rewrites?: (name: string) => boolean
  /**
   * The service reports no changes: `changes` is always empty, and throws CursorReset for a cursor that is older than this, so that
   * everything is listed again. Absent: it reports them.
   */
  readonly relistHours?: number
}

/**
 * One account of one provider. Methods reject only with ProviderError, or with `call.signal.reason` once that is aborted.
 * Methods that a service does not support are absent. Existing objects are never overwritten, except for `NewEntry.replaces`.
 */
export interface Driver {
  readonly kind: string
  readonly capabilities: Capabilities
  readonly root: EntryRef
  identity(call: Call): Promise<Identity>
  quota(call: Call): Promise<ProviderQuota>
  /** @throws NotFound */
  stat(call: Call, ref: EntryRef): Promise<Entry>
  /** In the service's order; a page may be empty while `cursor` is not null. @throws NotFound */
  list(call: Call, folder: EntryRef, cursor: string | null): Promise<Page<Entry>>
  /**
   * Every entry of the account except the root itself and what is in its trash, in any order: the content of a folder can precede the
   * folder. Includes what others share with the account, and of `extraRoots` the roots themselves and what is below them; one that the
   * account cannot see any more is left out. An entry that changes during the listing can be missing or repeated: read
   * `changes` from a cursor that is older than the listing. The cursor can be used after a restart, for hours. @throws CursorReset
   */
  readonly listAll?: (call: Call, cursor: string | null, extraRoots?: readonly EntryRef[]) => Promise<Page<Entry>>
  /**
   * The trees that the account has in addition to its own one: `stat` and `list` take their refs like those of folders. Absent where there can
   * be none.
   */
  readonly roots?: (call: Call) => Promise<readonly ExtraRoot[]>
  /** Resolves when the response begins. `range` is within the object. @throws NotFound */
  get(call: Call, ref: EntryRef, range?: ByteRange): Promise<Download>
  /**
   * A native document in one of its `exportTypes`; the length is not known before its end. Resolves when the response begins.
   * @throws NotFound, Forbidden (downloading is disabled), TooLarge (the service exports no documents of this size), Permanent (it
   * is not a native document, or not offered in this type)
   */
  readonly export?: (call: Call, ref: EntryRef, type: ExportType) => Promise<Download>
  /**
   * A small picture of a file's content that the service has made, of at most MAX_THUMBNAIL_BYTES, in a format that it chooses. Its
   * longest side is at least about `side` pixels where the service offers that. The bytes are not verified: do not pass them on as they
   * are. @returns null: the service has none, or none yet @throws NotFound
   */
  readonly thumbnail?: (call: Call, ref: EntryRef, side: number) => Promise<Buffer | null>
  /**
   * Stores `content` under a name, and resolves with the entry that the provider reports; until then nothing is visible under the
   * name. Continues `progress.session` where possible: bytes that the provider confirmed are not sent again. A session of another
   * name or folder, if it cannot be continued, is ended as by `abandon` first; when that fails, so does the call. An upload whose last
   * response was lost is found and not stored twice. Calls `content.open` once per attempt.
   * @throws Conflict (the name belongs to something else), QuotaExceeded, TooLarge, BadName, Corrupt (the content ended early, or the provider has other bytes: what was stored was deleted)
   */
  put(call: Call, entry: NewEntry, content: Content, progress: PutProgress): Promise<Entry>
  /**
   * Ends a session that will not be continued, and deletes what it may have stored unless `isNeeded`: the account may show it as a file
   * already, and where a service identifies an upload by its name alone, the object may be that of another upload with equal bytes.
   * Idempotent.
   */
  abandon(call: Call, session: string, isNeeded?: IsNeeded): Promise<void>
  /** Permanently where the service can. Idempotent: resolves when the object is already gone. */
  delete(call: Call, ref: EntryRef): Promise<void>
  /** The folder with that name, created if it is missing. */
  ensureFolder(call: Call, parent: EntryRef, name: string): Promise<EntryRef>
  /** With `capabilities.pathRefs`, the result has the new ref. @throws NotFound, Conflict */
  readonly move?: (call: Call, ref: EntryRef, to: { parent?: EntryRef; name?: string }) => Promise<Entry>
  /**
   * Moves an entry, with everything below it, to the service's own trash, from which `restore` returns it under the same ref. Absent
   * together with `restore`. Idempotent for entries that are in the trash. @throws NotFound (deleted permanently), Forbidden
   */
  readonly trash?: (call: Call, ref: EntryRef) => Promise<void>
  /**
   * Takes an entry out of the service's trash, into the folder `parent`. An entry that is not in the trash is moved there.
   * @throws NotFound (deleted permanently, or the folder is gone), Forbidden
   */
  readonly restore?: (call: Call, ref: EntryRef, parent: EntryRef) => Promise<Entry>
  /**
   * Like put, but the service copies an object of the same account; the bytes are not checked. A session is saved before the call:
   * with it, a put of the same entry finds the copy even if the response was lost, or sends the bytes, and abandon deletes it.
   * @throws NotFound, Conflict, QuotaExceeded
   */
  readonly copy?: (call: Call, ref: EntryRef, entry: NewEntry, progress: CopyProgress) => Promise<Entry>
  /**
   * Changes since a cursor; null starts now, without changes. Includes changes below `extraRoots`. One that the cursor does not have yet,
   * or that was left out of the call that returned it, is reported as a new folder, and its content with later changes alone; one that
   * the account cannot see any more as gone.
   * @throws CursorReset
   */
  readonly changes?: (call: Call, cursor: string | null, extraRoots?: readonly EntryRef[]) => Promise<ChangePage>
  /** A link that anyone can open. Another call returns the same link with the new expiry. @throws NotFound, Forbidden */
  readonly share?: (call: Call, ref: EntryRef, expiresAt: Date | null) => Promise<ShareLink>
  /** Idempotent. */
  readonly unshare?: (call: Call, ref: EntryRef) => Promise<void>
}

/** Credentials of an account: the driver's own JSON, stored encrypted. `expiresAt` (ISO 8601): when the access token expires. */
export type Credentials = { readonly expiresAt: string | null; readonly [field: string]: string | null }

export type AuthorizationRequest = {
  readonly state: string
  /** PKCE S256 (RFC 7636 4.2). */
  readonly challenge: string
  readonly redirectUri: string
  /** The email address of the account to reconnect. */
  readonly loginHint: string | null
}

/** Authorization code flow (RFC 6749 4.1) of a provider. */
export type OAuth = {
  readonly clientId: string
  /** Selects the redirect address: `{origin}/oauth/{callbackName}/callback` (spec 7). */
  readonly callbackName: string
  authorizationUrl(request: AuthorizationRequest): URL
  /** @throws ReconnectNeeded (the code is refused), Forbidden (a scope was not granted; the message names it), Misconfigured */
  exchange(call: Call, grant: { code: string; verifier: string; redirectUri: string }): Promise<Credentials>
  /** New credentials to store. @throws ReconnectNeeded, Misconfigured */
  refresh(call: Call, credentials: Credentials): Promise<Credentials>
  /** Revokes access at the provider. Idempotent: resolves for invalid credentials. */
  revoke(call: Call, credentials: Credentials): Promise<void>
}

/** `value` is what `SignInForm.exchange` receives. */
export type FormChoice = { readonly value: string; readonly label: string }

/** What another field of the same form contains: one of `values`, in which an empty string means that it is empty. */
export type FieldCondition = { readonly field: string; readonly values: readonly string[] }

/** When a field that is not always required is: while all conditions hold. `message`: the problem of leaving it empty then, and what to do. */
export type FieldRequirement = { readonly conditions: readonly FieldCondition[]; readonly message: string }

/** A field of the form that connects an account. */
export type FormField = {
  /** Key in the values of `SignInForm.exchange`. */
  readonly name: string
  readonly label: string
  /** What to type, in a sentence. */
  readonly help: string | null
  /** TEXT is one line, MULTILINE several; URL an http or https address, NUMBER a whole number from 0, CHOICE one of `choices`. */
  readonly type: 'TEXT' | 'MULTILINE' | 'URL' | 'NUMBER' | 'CHOICE'
  /** Only for CHOICE. */
  readonly choices?: readonly FormChoice[]
  /** A password field. */
  readonly secret: boolean
  /** Always. */
  readonly required: boolean
  /** Only for fields that are not always required; null or absent: it is optional. */
  readonly requiredWhen?: FieldRequirement | null
  /** Shown only once `exchange` asks for it, with an error about this field; such fields are not required. */
  readonly onRequest?: boolean
  /** Used by `exchange` alone: the credentials do not contain it, so that connecting again needs it again. */
  readonly notStored?: boolean
  /** The email address of the login: where the credentials do not contain it, a form that changes them shows the one in `Identity`. */
  readonly isEmail?: boolean
}

export type FieldProblem = { readonly field: string; readonly message: string }
/** Values by field name; empty fields are absent. */
export type FormValues = Readonly<Record<string, string>>

/** Connecting an account with a form: a server's address, a user name, a key. */
export type SignInForm = {
  readonly fields: readonly FormField[]
  /**
   * Problems that the definitions of `fields` do not cover. The values are valid, and those that are always required are there; what
   * `requiredWhen` asks for can be missing. Does no I/O.
   */
  readonly check?: (values: FormValues) => readonly FieldProblem[]
  /**
   * Credentials to store, from valid values; often the values themselves. A server that the user names is called only if the
   * driver allows its address. @throws ReconnectNeeded (they are refused), Forbidden (with `detail.field` about one field), Transient
   */
  exchange(call: Call, values: FormValues): Promise<Credentials>
  /**
   * The values that these credentials were made from, secrets included, for a form that changes them; by default the credentials with
   * the names of fields. Secrets stay on the server.
   */
  readonly valuesOf?: (credentials: Credentials) => FormValues
  /** Fields that say where the secrets are sent: stored secrets are used again only while these are unchanged. */
  readonly destination?: readonly string[]
  /** For services with folders: the field with the folder to use, and its value for a folder in the root of an account. */
  readonly folder?: { readonly field: string; value(credentials: Credentials, folder: Entry): string }
  /** Ends the session of these credentials alone, where signing in began one. Idempotent. */
  revoke?(call: Call, credentials: Credentials): Promise<void>
}

/** How accounts of a provider are connected. */
export type SignIn =
  | { readonly by: 'OAUTH'; readonly oauth: OAuth }
  | { readonly by: 'FORM'; readonly form: SignInForm }

/** A kind of storage service, configured. */
export type ProviderModule = {
  /** The provider's id in the database, the URL and the folder name. */
  readonly kind: string
  readonly signIn: SignIn
  /** Does no I/O and does not validate the credentials: invalid ones make calls fail. */
  open(credentials: Credentials): Driver
}

const WRITES = new Set([
  'put',
  'abandon',
  'delete',
  'ensureFolder',
  'move',
  'trash',
  'restore',
  'copy',
  'share',
  'unshare',
])

/** Whether the operation changes something at the service. Services may limit such calls separately. */
export function isWrite(operation: string): boolean {
  return WRITES.has(operation)
}
