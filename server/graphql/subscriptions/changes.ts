import { type Change as DomainChange, NOW } from '../../domain/changes/service.ts'
import type { FilesChanged } from '../../domain/events.ts'
import { builder } from '../builder.ts'
import { type Context, requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { Job } from '../types/Job.ts'
import { Transfer } from '../types/Transfer.ts'
import { User } from '../types/User.ts'
import { FilesChangedEvent, mergeFilesChanged, readAgain } from './filesChanged.ts'
import { coalesce, type LiveEvent, liveTopics } from './live.ts'

const WINDOW_MS = 100
const MAX_TRANSFERS = 100
/** Changes per read of the log; one message can combine several reads. */
const PAGE = 500
const TOPICS = [
  'filesChanged',
  'transferProgressed',
  'fileJobProgressed',
  'accountsChanged',
  'accessChanged',
  'tagsChanged',
] as const
/** `since` of a client that has fetched data shortly before, which may have changed since. */
const RECENT = 'recent'

type Gathered = {
  readonly position: string
  readonly reset: boolean
  readonly files: FilesChanged | null
  readonly transferIds: ReadonlySet<string>
  readonly jobIds: ReadonlySet<string>
  readonly accounts: boolean
  readonly access: boolean
  readonly tags: boolean
}

/** Live events since the last message. The log says what changed; transfers and jobs are not logged. */
type Received = Pick<Gathered, 'transferIds' | 'jobIds'> & { readonly logged: boolean }

const NONE: ReadonlySet<string> = new Set()
const NOTHING = {
  reset: false,
  files: null,
  transferIds: NONE,
  jobIds: NONE,
  accounts: false,
  access: false,
  tags: false,
}

const Changes = builder.objectRef<Gathered>('Changes').implement({
  description: 'Everything that changed for the viewer within a short time: one stream instead of several.',
  fields: (t) => ({
    position: t.exposeString('position', {
      description:
        'Position of this message. A later subscription with it as `since` continues here and misses nothing. Also the id of the server-sent event.',
    }),
    reset: t.exposeBoolean('reset', {
      description:
        'Changes since the requested position are no longer known (positions are kept for 7 days): reload what you show.',
    }),
    files: t.field({
      type: FilesChangedEvent,
      nullable: true,
      resolve: ({ files }, _args, context) => files && readAgain(files, context),
    }),
    transfers: t.field({
      type: [Transfer],
      description: 'Transfers with progress, in their current state (at most 100).',
      complexity: { field: 5, multiplier: 10 },
      resolve: async ({ transferIds }, _args, context) => {
        const ids = [...transferIds].slice(0, MAX_TRANSFERS)
        if (ids.length === 0) return []
        const transfers = await context.services.transfers.getMany(requireViewer(context), ids)
        return transfers.filter((transfer) => transfer !== null)
      },
    }),
    jobs: t.field({
      type: [Job],
      description: 'Jobs with progress, in their current state (at most 100).',
      complexity: { field: 5, multiplier: 10 },
      resolve: async ({ jobIds }, _args, context) => {
        const ids = [...jobIds].slice(0, MAX_TRANSFERS)
        if (ids.length === 0) return []
        const jobs = await context.services.fileJobs.getMany(requireViewer(context), ids)
        return jobs.filter((job) => job !== null)
      },
    }),
    viewer: t.field({
      type: User,
      nullable: true,
      description: 'Set when accounts, their quotas or group clouds have changed.',
      resolve: ({ accounts }, _args, context) => (accounts ? { id: requireViewer(context).userId } : null),
    }),
    access: t.field({
      type: User,
      nullable: true,
      description: 'Set when API keys or sessions were created, changed or ended.',
      resolve: ({ access }, _args, context) => (access ? { id: requireViewer(context).userId } : null),
    }),
    tags: t.field({
      type: User,
      nullable: true,
      description: 'Set when tags were created, changed or deleted.',
      resolve: ({ tags }, _args, context) => (tags ? { id: requireViewer(context).userId } : null),
    }),
  }),
})

builder.subscriptionField('changes', (t) =>
  t.field({
    type: Changes,
    description: 'Live changes for the viewer, and changes since an earlier message.',
    args: {
      since: t.arg.string({
        description:
          'A position from an earlier message: the first message has the changes since. `now`: the first message has the current position. `recent`: the first message has the changes of the last 30 seconds, for a client that fetched data before it subscribed. Default: continues after the header Last-Event-ID, otherwise starts now without a first message.',
      }),
    },
    subscribe: async (_root, { since }, context) => {
      // Subscribe before the log is read: what is committed in between is in both, and reported once.
      const events = coalesce(received(await liveTopics(context, TOPICS)), WINDOW_MS, mergeReceived)
      return follow(context, since ?? context.lastEventId, events)
    },
    resolve: (changes) => changes,
  }),
)

async function* follow(
  context: Context,
  since: string | null,
  events: AsyncGenerator<Received, void>,
): AsyncGenerator<Gathered, void> {
  try {
    let position = await startOf(context, since)
    const read = async ({ transferIds, jobIds }: Pick<Gathered, 'transferIds' | 'jobIds'>): Promise<Gathered> => {
      const changes = await readLog(context, position)
      position = changes.position
      return { ...changes, transferIds, jobIds }
    }
    if (since === NOW) yield { ...NOTHING, position }
    else if (since !== null) yield await read(NOTHING)
    for await (const { logged, transferIds, jobIds } of events) {
      const before = position
      const progress = { transferIds, jobIds }
      const message = logged ? await read(progress) : { ...NOTHING, position, ...progress }
      if (message.reset || message.position !== before || transferIds.size + jobIds.size > 0) yield message
    }
  } finally {
    await events.return()
  }
}

async function startOf(context: Context, since: string | null): Promise<string> {
  const { changes } = context.services
  if (since === RECENT) return changes.recentPosition(requireViewer(context))
  return since === null || since === NOW ? changes.position() : since
}

/** Everything in the log after a position, as one message. */
async function readLog(context: Context, since: string): Promise<Gathered> {
  let message: Gathered = { ...NOTHING, position: since }
  for (;;) {
    const page = await context.services.changes.since(requireViewer(context), message.position, PAGE)
    if (page.reset) return { ...NOTHING, position: page.position, reset: true }
    for (const change of page.changes) message = withChange(message, change)
    message = { ...message, position: page.position }
    if (!page.hasMore) return message
  }
}

function withChange(message: Gathered, change: DomainChange): Gathered {
  if (change.topic === 'accountsChanged') return { ...message, accounts: true }
  if (change.topic === 'accessChanged') return { ...message, access: true }
  if (change.topic === 'tagsChanged') return { ...message, tags: true }
  return { ...message, files: message.files ? mergeFilesChanged(message.files, change.event) : change.event }
}

async function* received(
  events: AsyncGenerator<LiveEvent<(typeof TOPICS)[number]>, void>,
): AsyncGenerator<Received, void> {
  for await (const { topic, event } of events) {
    if (topic === 'transferProgressed') yield { logged: false, transferIds: new Set([event.transferId]), jobIds: NONE }
    else if (topic === 'fileJobProgressed') yield { logged: false, transferIds: NONE, jobIds: new Set([event.jobId]) }
    else yield { logged: true, transferIds: NONE, jobIds: NONE }
  }
}

function mergeReceived(older: Received, newer: Received): Received {
  return {
    logged: older.logged || newer.logged,
    transferIds: new Set([...older.transferIds, ...newer.transferIds]),
    jobIds: new Set([...older.jobIds, ...newer.jobIds]),
  }
}

const ChangeKind = builder.enumType('ChangeKind', {
  description: 'Subject of a change.',
  values: {
    FILES: { description: 'Files and folders.' },
    ACCOUNTS: { description: 'Connected accounts, their quotas, or group clouds.' },
    ACCESS: { description: 'API keys or sessions.' },
    TAGS: { description: 'Tags, but not which files have them: that is `FILES`.' },
  } as const,
})

const KIND = {
  filesChanged: 'FILES',
  accountsChanged: 'ACCOUNTS',
  accessChanged: 'ACCESS',
  tagsChanged: 'TAGS',
} as const
const NO_FILES: FilesChanged = { fileIds: [], removedIds: [], parentIds: [], truncated: false }
const filesOf = (change: DomainChange) => (change.topic === 'filesChanged' ? change.event : NO_FILES)
const accountIdsOf = (change: DomainChange) => (change.topic === 'accountsChanged' ? change.event.accountIds : [])

const Change = builder.objectRef<DomainChange>('Change').implement({
  description: 'A change for the viewer, as ids.',
  fields: (t) => ({
    position: t.exposeString('position', { description: 'Its position in the order of all changes.' }),
    kind: t.field({ type: ChangeKind, description: 'Its subject.', resolve: ({ topic }) => KIND[topic] }),
    fileIds: t.idList({
      description: 'New or changed entries. Ids that can no longer be found were deleted since.',
      resolve: (change) => filesOf(change).fileIds.map((id) => globalIdOf('File', id)),
    }),
    removedIds: t.idList({
      description: 'Deleted entries.',
      resolve: (change) => filesOf(change).removedIds.map((id) => globalIdOf('File', id)),
    }),
    parentIds: t.idList({
      nullable: { list: false, items: true },
      description: 'Folders whose listing changed; null is the root.',
      resolve: (change) => filesOf(change).parentIds.map((id) => id && globalIdOf('File', id)),
    }),
    accountIds: t.idList({
      description: 'Changed accounts; when empty, group clouds changed.',
      resolve: (change) => (accountIdsOf(change) ?? []).map((id) => globalIdOf('Account', id)),
    }),
    truncated: t.boolean({
      description: 'Whether more changed than is listed: reload what you show.',
      resolve: (change) => filesOf(change).truncated || accountIdsOf(change) === null,
    }),
    at: t.field({ type: 'DateTime', description: 'When it was logged.', resolve: ({ at }) => at }),
  }),
})

type Page = Awaited<ReturnType<Context['services']['changes']['since']>>

const ChangeList = builder.objectRef<Page>('ChangeList').implement({
  description: 'Changes after a position, oldest first.',
  fields: (t) => ({
    items: t.field({ type: [Change], description: 'Oldest first.', resolve: ({ changes }) => [...changes] }),
    position: t.exposeString('position', { description: 'For `since` of the next call.' }),
    hasMore: t.exposeBoolean('hasMore', { description: 'Whether there are more changes to read.' }),
    reset: t.exposeBoolean('reset', {
      description: '`since` is older than 7 days, or changes may have been lost: reload everything.',
    }),
  }),
})

builder.queryField('changes', (t) =>
  t.field({
    type: ChangeList,
    description: 'Changes for the viewer after a position.',
    args: {
      since: t.arg.string({
        defaultValue: NOW,
        description: 'A position from an earlier response or message. `now`: no changes, and the current position.',
      }),
      first: t.arg.int({ defaultValue: 100, description: 'Maximum number of changes, up to 500.' }),
    },
    complexity: 50,
    resolve: async (_root, { since, first }, context) => {
      const viewer = requireViewer(context)
      const { changes } = context.services
      return changes.since(viewer, since ?? NOW, Math.min(Math.max(first ?? 100, 1), PAGE))
    },
  }),
)
