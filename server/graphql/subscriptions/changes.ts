import type { Change as DomainChange } from '../../domain/changes/service.ts'
import type { FilesChanged } from '../../domain/events.ts'
import { builder } from '../builder.ts'
import { type Context, requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { Transfer } from '../types/Transfer.ts'
import { User } from '../types/User.ts'
import { coalesce } from './coalesce.ts'
import { FilesChangedEvent, mergeFilesChanged, readAgain } from './filesChanged.ts'
import { type LiveEvent, liveTopics } from './live.ts'

const WINDOW_MS = 100
const MAX_TRANSFERS = 100
/** Changes of one look into the log; there may be several before one message. */
const PAGE = 500
const TOPICS = ['filesChanged', 'transferProgressed', 'accountsChanged', 'accessChanged'] as const
/** `since` of who begins now and wants to hear where that is. */
const NOW = 'now'

type Gathered = {
  readonly position: string
  readonly reset: boolean
  readonly files: FilesChanged | null
  readonly transferIds: ReadonlySet<string>
  readonly accounts: boolean
  readonly access: boolean
}

/** What arrived on the live line since the last message: the log says what changed, transfers are not in it. */
type Heard = { readonly logged: boolean; readonly transferIds: ReadonlySet<string> }

const NOTHING = { reset: false, files: null, transferIds: new Set<string>(), accounts: false, access: false }

const Changes = builder.objectRef<Gathered>('Changes').implement({
  description: 'All that has changed for the viewer, gathered over a short while: one stream instead of several.',
  fields: (t) => ({
    position: t.exposeString('position', {
      description:
        'Where this message stands. With it as `since`, a later subscription goes on behind it and misses nothing. Also the id of the server-sent event.',
    }),
    reset: t.exposeBoolean('reset', {
      description:
        'What changed since the position asked for is not known any more (positions are kept for 7 days): read again what you show.',
    }),
    files: t.field({
      type: FilesChangedEvent,
      nullable: true,
      resolve: ({ files }, _args, context) => files && readAgain(files, context),
    }),
    transfers: t.field({
      type: [Transfer],
      description: 'Those that have moved on, as they are now (at most 100).',
      complexity: { field: 5, multiplier: 10 },
      resolve: async ({ transferIds }, _args, context) => {
        const ids = [...transferIds].slice(0, MAX_TRANSFERS)
        if (ids.length === 0) return []
        const transfers = await context.services.transfers.getMany(requireViewer(context), ids)
        return transfers.filter((transfer) => transfer !== null)
      },
    }),
    viewer: t.field({
      type: User,
      nullable: true,
      description: 'Set when accounts have changed, with their quotas and the group clouds they are in.',
      resolve: ({ accounts }, _args, context) => (accounts ? { id: requireViewer(context).userId } : null),
    }),
    access: t.field({
      type: User,
      nullable: true,
      description: 'Set when API keys or sessions were made, changed or ended.',
      resolve: ({ access }, _args, context) => (access ? { id: requireViewer(context).userId } : null),
    }),
  }),
})

builder.subscriptionField('changes', (t) =>
  t.field({
    type: Changes,
    description: 'What changes for the viewer, as it happens, and what has changed since an earlier message.',
    args: {
      since: t.arg.string({
        description:
          'A position from an earlier message: the first message tells what changed since. `now`: the first message tells the present position. Without it, the stream goes on behind the Last-Event-ID header, or begins now and silently.',
      }),
    },
    subscribe: (_root, { since }, context) => {
      // Listening before the log is read: what is committed in between is in both, and told once.
      const events = coalesce(heard(liveTopics(context, TOPICS)), WINDOW_MS, mergeHeard)
      return follow(context, since ?? context.lastEventId, events)
    },
    resolve: (changes) => changes,
  }),
)

async function* follow(
  context: Context,
  since: string | null,
  events: AsyncGenerator<Heard, void>,
): AsyncGenerator<Gathered, void> {
  try {
    let position = since === null || since === NOW ? await context.services.changes.position() : since
    const read = async (transferIds: ReadonlySet<string>): Promise<Gathered> => {
      const told = await readLog(context, position)
      position = told.position
      return { ...told, transferIds }
    }
    if (since === NOW) yield { ...NOTHING, position }
    else if (since !== null) yield await read(NOTHING.transferIds)
    for await (const { logged, transferIds } of events) {
      const before = position
      const told = logged ? await read(transferIds) : { ...NOTHING, position, transferIds }
      if (told.reset || told.position !== before || transferIds.size > 0) yield told
    }
  } finally {
    await events.return()
  }
}

/** All that the log holds behind a position, as one message. */
async function readLog(context: Context, since: string): Promise<Gathered> {
  let told: Gathered = { ...NOTHING, position: since }
  for (;;) {
    const page = await context.services.changes.since(requireViewer(context), told.position, PAGE)
    if (page.reset) return { ...NOTHING, position: page.position, reset: true }
    for (const change of page.changes) told = withChange(told, change)
    told = { ...told, position: page.position }
    if (!page.hasMore) return told
  }
}

function withChange(told: Gathered, change: DomainChange): Gathered {
  if (change.topic === 'accountsChanged') return { ...told, accounts: true }
  if (change.topic === 'accessChanged') return { ...told, access: true }
  return { ...told, files: told.files ? mergeFilesChanged(told.files, change.event) : change.event }
}

async function* heard(events: AsyncGenerator<LiveEvent<(typeof TOPICS)[number]>, void>): AsyncGenerator<Heard, void> {
  for await (const { topic, event } of events) {
    if (topic === 'transferProgressed') yield { logged: false, transferIds: new Set([event.transferId]) }
    else yield { logged: true, transferIds: NOTHING.transferIds }
  }
}

function mergeHeard(older: Heard, newer: Heard): Heard {
  return {
    logged: older.logged || newer.logged,
    transferIds: new Set([...older.transferIds, ...newer.transferIds]),
  }
}

const ChangeKind = builder.enumType('ChangeKind', {
  description: 'What a change is about.',
  values: {
    FILES: { description: 'Files and folders.' },
    ACCOUNTS: { description: 'Connected accounts, their quotas, or group clouds.' },
    ACCESS: { description: 'API keys or sessions.' },
  } as const,
})

const KIND = { filesChanged: 'FILES', accountsChanged: 'ACCOUNTS', accessChanged: 'ACCESS' } as const
const NO_FILES: FilesChanged = { fileIds: [], removedIds: [], parentIds: [], truncated: false }
const filesOf = (change: DomainChange) => (change.topic === 'filesChanged' ? change.event : NO_FILES)
const accountIdsOf = (change: DomainChange) => (change.topic === 'accountsChanged' ? change.event.accountIds : [])

const Change = builder.objectRef<DomainChange>('Change').implement({
  description: 'One change of what the viewer has, as ids.',
  fields: (t) => ({
    position: t.exposeString('position', { description: 'Where it stands in the order of all changes.' }),
    kind: t.field({ type: ChangeKind, description: 'What it is about.', resolve: ({ topic }) => KIND[topic] }),
    fileIds: t.idList({
      description: 'Entries that are new or changed. Those that cannot be found by now are gone.',
      resolve: (change) => filesOf(change).fileIds.map((id) => globalIdOf('File', id)),
    }),
    removedIds: t.idList({
      description: 'Entries that are gone.',
      resolve: (change) => filesOf(change).removedIds.map((id) => globalIdOf('File', id)),
    }),
    parentIds: t.idList({
      nullable: { list: false, items: true },
      description: 'Folders whose list changed; null stands for the root.',
      resolve: (change) => filesOf(change).parentIds.map((id) => id && globalIdOf('File', id)),
    }),
    accountIds: t.idList({
      description: 'Accounts that changed; with none named, the group clouds did.',
      resolve: (change) => (accountIdsOf(change) ?? []).map((id) => globalIdOf('Account', id)),
    }),
    truncated: t.boolean({
      description: 'More changed than is named: read again what you show.',
      resolve: (change) => filesOf(change).truncated || accountIdsOf(change) === null,
    }),
    at: t.field({ type: 'DateTime', description: 'When it was written down.', resolve: ({ at }) => at }),
  }),
})

type Page = Awaited<ReturnType<Context['services']['changes']['since']>>

const ChangeList = builder.objectRef<Page>('ChangeList').implement({
  description: 'What changed behind a position, oldest first.',
  fields: (t) => ({
    items: t.field({ type: [Change], description: 'Oldest first.', resolve: ({ changes }) => [...changes] }),
    position: t.exposeString('position', { description: 'Pass it as `since` next time.' }),
    hasMore: t.exposeBoolean('hasMore', { description: 'There are more: ask again at once.' }),
    reset: t.exposeBoolean('reset', {
      description: '`since` is older than what is kept (7 days), or changes may have been lost: read everything again.',
    }),
  }),
})

builder.queryField('changes', (t) =>
  t.field({
    type: ChangeList,
    description: 'What changed for the viewer behind a position. Without `since`: nothing, and the present position.',
    args: {
      since: t.arg.string({ description: 'A position from an earlier answer or message.' }),
      first: t.arg.int({ defaultValue: 100, description: 'At most so many, up to 500.' }),
    },
    complexity: 50,
    resolve: async (_root, { since, first }, context) => {
      const viewer = requireViewer(context)
      const { changes } = context.services
      if (since == null) return { changes: [], position: await changes.position(), hasMore: false, reset: false }
      return changes.since(viewer, since, Math.min(Math.max(first ?? 100, 1), PAGE))
    },
  }),
)
