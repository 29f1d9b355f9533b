import type { Readable } from 'node:stream'
import type { HashAlgorithm } from '../lib/contentHash.ts'

export type { HashAlgorithm }

/** Opaque outside the driver that issued it: a Drive id, a Dropbox id, an object id of this server. */
export type EntryRef = string & { readonly __brand: 'EntryRef' }
/** Every call ends when `signal` aborts; `requestId` names it in the log. */
export type Call = {
  readonly signal: AbortSignal
  readonly requestId: string
  /** Somebody waits for it and has nobody else to ask: an account that is left alone for its failures is asked all the same, once. */
  readonly lastChance?: boolean
  /** The longest pause (ms) that it waits for when the service asks to be left alone; a longer one rejects at once. A minute unless told. */
  readonly patienceMs?: number
}
/** Inclusive, as in HTTP. */
export type ByteRange = { readonly start: number; readonly end: number }
export type Page<Item> = { readonly items: readonly Item[]; readonly cursor: string | null }

/** `subject` is the provider's own stable name of the login, never an email address. */
export type Identity = { readonly subject: string; readonly email: string | null; readonly name: string | null }

/** Unknown is unknown and unlimited is unlimited: neither is zero. */
export type ProviderQuota = {
  readonly state: 'KNOWN' | 'UNLIMITED' | 'UNKNOWN'
  /** All that counts against the account, not only ours; null when the provider does not say. */
  readonly usedBytes: number | null
  /** A number exactly when `state` is KNOWN. */
  readonly totalBytes: number | null
}

export type Entry = {
  readonly ref: EntryRef
  readonly name: string
  readonly kind: 'file' | 'folder'
  /** null for folders. */
  readonly size: number | null
  readonly modifiedAt: Date | null
  /** Lower-case hex, of the algorithm in `capabilities.hash`; null for folders and where the service has none. */
  readonly hash: string | null
  /**
   * Where it lies, `/folder/name`, folded so that equal texts mean one place. Only of services that report deletions by path:
   * see `Change`.
   */
  readonly path?: string
}

export type NewEntry = {
  readonly parent: EntryRef
  readonly name: string
  readonly size: number
  readonly mimeType: string | null
}

/** A content that can be read again from any byte, for a retry. `open(start)` yields the bytes from `start` to the end. */
export type Content = { readonly size: number; open(start: number): Readable }

/** Where an upload stands: lets a put continue after a restart, in another process. */
export type PutProgress = {
  /** What `save` was last given, or null for a new upload. */
  readonly session: string | null
  /** Must be stored before it resolves. A session can be a credential. */
  readonly save: (session: string) => Promise<void>
  /** Bytes that the provider has confirmed so far. */
  readonly onProgress: (committedBytes: number) => void
  /**
   * Whether an object is something else's, or about to be removed: where a service knows an upload by its name alone, what stands
   * under it must not be taken for this one's then.
   */
  readonly isTaken?: IsNeeded
}

/** What a copy leaves behind before the service is asked for it. */
export type CopyProgress = {
  /** Of the content, in the algorithm of `capabilities.hash`: by it the copy is known where a service has only its name. */
  readonly hash: string
  /** As PutProgress has it. */
  readonly save: PutProgress['save']
}

/** Whether something else refers to an object. */
export type IsNeeded = (ref: EntryRef) => Promise<boolean>

/** The body yields exactly the range that was asked for, or breaks with a ProviderError. The caller consumes or destroys it. */
export type Download = { readonly body: Readable }

/**
 * The last known state of one entry. `entry` null: deleted, or in the trash; `kind` where the service says what it was. Services
 * that name what is deleted by its path alone give `path` instead of `ref`: that entry and all below it are gone from there, and
 * what was only moved is in a change of its own, before or after.
 */
export type Change =
  | { readonly ref: EntryRef; readonly entry: Entry | null; readonly kind?: Entry['kind'] }
  | { readonly ref: null; readonly path: string; readonly entry: null }
/** `hasMore`: ask again at once with `cursor`. */
export type ChangePage = { readonly changes: readonly Change[]; readonly cursor: string; readonly hasMore: boolean }

export type ShareLink = { readonly url: string; readonly expiresAt: Date | null }

/** Facts about the service, the same for every account of it. */
export type Capabilities = {
  /** What Entry.hash holds; null when the service reports none, so that what was stored has to be read back. */
  readonly hash: HashAlgorithm | null
  /** Two entries of one folder may have one name. */
  readonly duplicateNames: boolean
  readonly caseSensitive: boolean
  readonly maxObjectBytes: number | null
  /** Longest name, in `nameUnit`s. */
  readonly maxNameLength: number
  readonly nameUnit: 'utf16' | 'bytes'
  /** Calls of one account at once. */
  readonly maxConcurrency: number
  /** Uploads of one account at once: some services serialise writes. */
  readonly maxConcurrentWrites: number
  /** put() continues a saved session instead of beginning again. */
  readonly resumable: boolean
}

/**
 * One account of one provider. Methods reject only with ProviderError, or with `call.signal.reason` once that is aborted.
 * What a service cannot do is an absent method. Nothing is ever replaced in place.
 */
export interface Driver {
  readonly kind: string
  readonly capabilities: Capabilities
  readonly root: EntryRef
  identity(call: Call): Promise<Identity>
  quota(call: Call): Promise<ProviderQuota>
  /** @throws NotFound */
  stat(call: Call, ref: EntryRef): Promise<Entry>
  /** In the service's own order; a page may be empty while cursor is not null. @throws NotFound */
  list(call: Call, folder: EntryRef, cursor: string | null): Promise<Page<Entry>>
  /** Resolves once bytes flow. `range` lies within the object. @throws NotFound */
  get(call: Call, ref: EntryRef, range?: ByteRange): Promise<Download>
  /**
   * Stores `content` under a name, and resolves with what the provider says is there: visible under the name only then.
   * Continues `progress.session` where it can; bytes that the provider confirmed are not sent again. An upload whose last
   * answer was lost is found again, not stored twice. Calls `content.open` once per attempt.
   * @throws Conflict (the name is taken by something else), QuotaExceeded, TooLarge, BadName, Corrupt (the content ended early, or the provider has other bytes: what was stored of it is gone)
   */
  put(call: Call, entry: NewEntry, content: Content, progress: PutProgress): Promise<Entry>
  /**
   * Ends a session that will not be continued, and removes what it may have stored, unless that `isNeeded`: where a service knows
   * an upload by its name alone, equal bytes of another one stand under it just as well. Idempotent.
   */
  abandon(call: Call, session: string, isNeeded?: IsNeeded): Promise<void>
  /** For good where the service can. Idempotent: what is already gone resolves. */
  delete(call: Call, ref: EntryRef): Promise<void>
  /** The folder of that name, made when absent. */
  ensureFolder(call: Call, parent: EntryRef, name: string): Promise<EntryRef>
  /** @throws NotFound, Conflict */
  readonly move?: (call: Call, ref: EntryRef, to: { parent?: EntryRef; name?: string }) => Promise<Entry>
  /**
   * As put, but the bytes are those of an object of the same account and do not pass through here; nobody checks them. Before the
   * service is asked, a session is saved: put of the same entry finds by it what was made, whatever answer was lost, or sends the
   * bytes; abandon removes it. @throws NotFound, Conflict, QuotaExceeded
   */
  readonly copy?: (call: Call, ref: EntryRef, entry: NewEntry, progress: CopyProgress) => Promise<Entry>
  /** What changed since a cursor; null begins now, with no changes. @throws CursorReset */
  readonly changes?: (call: Call, cursor: string | null) => Promise<ChangePage>
  /** A link that anyone can open; asking again returns the same one, with the end asked for then. @throws NotFound, Forbidden */
  readonly share?: (call: Call, ref: EntryRef, expiresAt: Date | null) => Promise<ShareLink>
  /** Idempotent. */
  readonly unshare?: (call: Call, ref: EntryRef) => Promise<void>
}

/** What opens an account: the driver's own JSON, stored sealed. `expiresAt` (ISO 8601) when the access in it ends. */
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
  /** Which of our redirect addresses: `{origin}/oauth/{callbackName}/callback` (spec 7). */
  readonly callbackName: string
  authorizationUrl(request: AuthorizationRequest): URL
  /** @throws ReconnectNeeded (the code is refused), Forbidden (a scope was not granted; says which), Misconfigured */
  exchange(call: Call, grant: { code: string; verifier: string; redirectUri: string }): Promise<Credentials>
  /** New credentials to store. @throws ReconnectNeeded, Misconfigured */
  refresh(call: Call, credentials: Credentials): Promise<Credentials>
  /** At the provider. Idempotent: credentials that are dead already resolve. */
  revoke(call: Call, credentials: Credentials): Promise<void>
}

/** One thing that a person types in to connect an account. */
export type FormField = {
  /** As `SignInForm.exchange` gets it. */
  readonly name: string
  readonly label: string
  /** What to type, in a sentence. */
  readonly help: string | null
  /** TEXT is one line, MULTILINE several; URL an http or https address, NUMBER a whole number from 0. */
  readonly type: 'TEXT' | 'MULTILINE' | 'URL' | 'NUMBER'
  /** Not shown while it is typed. */
  readonly secret: boolean
  readonly required: boolean
}

export type FieldProblem = { readonly field: string; readonly message: string }
/** By the names of the fields; those that were left empty are absent. */
export type FormValues = Readonly<Record<string, string>>

/** Signing in by what is typed into a form: a server's address, a user name, a key. */
export type SignInForm = {
  readonly fields: readonly FormField[]
  /** What is wrong beyond what `fields` say. Does no I/O. */
  readonly check?: (values: FormValues) => readonly FieldProblem[]
  /**
   * Credentials to store, of values without a problem; often the values themselves. A server that somebody names is asked only
   * where the driver allows its address. @throws ReconnectNeeded (they are refused), Forbidden, Transient
   */
  exchange(call: Call, values: FormValues): Promise<Credentials>
}

/** How accounts of a provider are connected. */
export type SignIn =
  | { readonly by: 'OAUTH'; readonly oauth: OAuth }
  | { readonly by: 'FORM'; readonly form: SignInForm }

/** A kind of storage service, configured. */
export type ProviderModule = {
  /** The same word in the database, the URL and the folder name. */
  readonly kind: string
  readonly signIn: SignIn
  /** No I/O, and no look at the credentials: those that do not work are found by a call. */
  open(credentials: Credentials): Driver
}

const WRITES = new Set(['put', 'abandon', 'delete', 'ensureFolder', 'move', 'copy', 'share', 'unshare'])

/** Whether a call of that name changes something at the service, which may limit those apart from the others. */
export function isWrite(operation: string): boolean {
  return WRITES.has(operation)
}
