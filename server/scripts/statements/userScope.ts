import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readPrismaCalls } from './prismaCalls.ts'
import { type Scope, scopeOf } from './scope.ts'
import { readSources } from './source.ts'
import type { Statement } from './statements.ts'
import type { Table } from './tables.ts'

type Exceptions = readonly {
  readonly because: string
  /** How many different statements of each file. One more has to be judged, too. */
  readonly statements: Readonly<Record<string, number>>
}[]

/** Statements that mean rows of all users. With users on several databases, each of these runs on every one of them. */
export const OVER_ALL_USERS: Exceptions = [
  {
    because: 'Figures for monitoring, and pauses of accounts that every server has to know.',
    statements: { 'server/db/figures.ts': 2, 'server/db/pauses.ts': 1 },
  },
  {
    because: 'A database is moved only into an empty one.',
    statements: { 'server/db/move.ts': 1 },
  },
  {
    because: 'Expired rows are removed, a limited number at a time, whosever they are.',
    statements: {
      'server/db/events.ts': 2,
      'server/domain/accounts/credentials.ts': 3,
      'server/domain/activity/service.ts': 1,
      'server/domain/duplicates/service.ts': 1,
      'server/domain/fileJobs/rows.ts': 1,
      'server/domain/files/content/browserPictures.ts': 1,
      'server/domain/idempotency/keys.ts': 1,
      'server/domain/shares/downloads.ts': 1,
      'server/domain/transfers/reconcile.ts': 2,
      'server/domain/uploadLinks/claims.ts': 1,
      'server/domain/uploads/openUploads.ts': 2,
      'server/domain/users/administration.ts': 1,
      'server/domain/users/sessions.ts': 2,
    },
  },
  {
    because: 'Work that is due is looked for among all users, and then done for one user or one account at a time.',
    statements: {
      'server/domain/accounts/quotas.ts': 1,
      'server/domain/duplicates/service.ts': 1,
      'server/domain/feed/feed.ts': 1,
      'server/domain/fileJobs/rows.ts': 1,
      'server/domain/files/content/removals.ts': 1,
      'server/domain/files/housekeeping.ts': 1,
      'server/domain/inPlace/indexer.ts': 2,
      'server/domain/protection/service.ts': 4,
      'server/domain/search/read.ts': 1,
      'server/domain/shares/providerLinks.ts': 2,
      'server/domain/transfers/engine.ts': 1,
      'server/domain/transfers/reconcile.ts': 4,
      'server/domain/uploadLinks/service.ts': 1,
      'server/domain/users/deletion.ts': 1,
      'server/domain/versions/service.ts': 1,
    },
  },
  {
    because:
      'The administrator sees sums over all users and their invitations; who becomes the administrator depends on all users.',
    statements: {
      'server/domain/users/administration.ts': 4,
      'server/domain/users/deletion.ts': 1,
      'server/domain/users/service.ts': 1,
    },
  },
  {
    because: 'Every secret is encrypted again with a new key.',
    statements: { 'server/domain/secrets/rotateKeys.ts': 12 },
  },
  {
    because: 'A login at a provider is revoked only when no user here uses it any more.',
    statements: { 'server/domain/accounts/grants.ts': 1 },
  },
  {
    because: 'What the catalogue says of a provider is copied to all accounts there when a server starts.',
    statements: { 'server/domain/accounts/rows.ts': 1 },
  },
  {
    because: 'Positions in the log of changes are counted over all users.',
    statements: { 'server/db/events.ts': 1 },
  },
]

/**
 * Folders of nouns with statements that find rows by an id, or another value that belongs to one user, without naming the user. With
 * users on several databases, they need the user in addition, or a table that finds it.
 */
export const BY_KEY: readonly { readonly because: string; readonly folders: readonly string[] }[] = [
  {
    because: 'A visitor, a browser, a program or a mail has only a secret or an address: the user is found by it.',
    folders: [
      'server/domain/keys',
      'server/domain/shares',
      'server/domain/telegram',
      'server/domain/uploadLinks',
      'server/domain/users',
    ],
  },
  {
    because:
      'Work in the background has the id of an account, a transfer, an upload, a job or an object, which was read with its user or is random.',
    folders: [
      'server/db/pauses.ts',
      'server/db/storageMoves.ts',
      'server/domain/accounts',
      'server/domain/copying',
      'server/domain/feed',
      'server/domain/fileJobs',
      'server/domain/inPlace',
      'server/domain/protection',
      'server/domain/room',
      'server/domain/search',
      'server/domain/secrets',
      'server/domain/transfers',
      'server/domain/uploads',
      'server/domain/versions',
    ],
  },
  {
    because: 'Rows that were read with their user, in the same transaction, are changed or completed by their ids.',
    folders: ['server/domain/activity', 'server/domain/duplicates', 'server/domain/files', 'server/domain/groupClouds'],
  },
]

/**
 * Whether every statement and every call of Prisma says whose rows it means: by `user_id`, or as the lists above say.
 * @returns one sentence for each that does not, and for each exception that is not needed
 */
export function judgeUserScope(
  statements: readonly Pick<Statement, 'place' | 'text'>[],
  { tables, root = '.', exceptions = OVER_ALL_USERS, byKey = BY_KEY }: Options,
): string[] {
  const scoped = [
    ...statements.map(({ place, text }) => ({ place, text, scope: scopeOf(text, tables) })),
    ...readPrismaCalls(readSources(root, 'server'), tables),
  ]
  return [...judgeAll(scoped, exceptions, root), ...judgeKeys(scoped, byKey, root)]
}

export type Options = {
  readonly tables: ReadonlyMap<string, Table>
  readonly root?: string
  readonly exceptions?: Exceptions
  readonly byKey?: typeof BY_KEY
}

type Scoped = { readonly place: string; readonly text: string; readonly scope: Scope }

function judgeAll(scoped: readonly Scoped[], exceptions: Exceptions, root: string): string[] {
  const listed = new Map<string, number>()
  for (const [file, count] of exceptions.flatMap(({ statements }) => Object.entries(statements)))
    listed.set(file, (listed.get(file) ?? 0) + count)
  const found = new Map<string, Map<string, Scoped>>()
  for (const one of scoped.filter(({ scope }) => scope.by === 'ALL')) {
    const file = fileOf(one)
    found.set(file, (found.get(file) ?? new Map()).set(one.text, one))
  }
  return [...new Set([...listed.keys(), ...found.keys()])].sort().flatMap((file) => {
    const statements = [...(found.get(file)?.values() ?? [])]
    const count = listed.get(file) ?? 0
    if (statements.length === count || !existsSync(join(root, file))) return []
    if (statements.length < count)
      return [
        `${file} has ${statements.length} statements over all users, not ${count}. Correct server/scripts/statements/userScope.ts.`,
      ]
    return statements.map(
      ({ place, text, scope }) =>
        `${place} does not say whose rows of ${scope.names.join(', ')} it means (${count} of ${statements.length} in this file are listed). Add a condition on user_id, or join what has one; if it means all users, list it with a reason in server/scripts/statements/userScope.ts.\n  ${shorten(text)}`,
    )
  })
}

function judgeKeys(scoped: readonly Scoped[], byKey: typeof BY_KEY, root: string): string[] {
  const folders = byKey.flatMap(({ folders }) => folders)
  const isIn = (file: string) => folders.filter((folder) => file.startsWith(`${folder}/`) || file === folder)
  const keyed = scoped.filter(({ scope }) => scope.by === 'KEY')
  const needed = new Set(keyed.flatMap((one) => isIn(fileOf(one))))
  return [
    ...keyed
      .filter((one) => isIn(fileOf(one)).length === 0)
      .map(
        ({ place, text, scope }) =>
          `${place} finds rows by ${scope.names.join(', ')} and does not name their user. Add a condition on user_id, or list its folder with a reason in server/scripts/statements/userScope.ts.\n  ${shorten(text)}`,
      ),
    ...folders
      .filter((folder) => !needed.has(folder) && existsSync(join(root, folder)))
      .map(
        (folder) =>
          `${folder} has no statement by a key any more. Remove it from server/scripts/statements/userScope.ts.`,
      ),
  ]
}

function fileOf({ place }: Scoped): string {
  return place.replace(/:\d+$/, '')
}

function shorten(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 200)
}
