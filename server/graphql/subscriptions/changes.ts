import type { FilesChanged } from '../../domain/events.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { Transfer } from '../types/Transfer.ts'
import { User } from '../types/User.ts'
import { coalesce } from './coalesce.ts'
import { FilesChangedEvent, mergeFilesChanged, readAgain } from './filesChanged.ts'
import { type LiveEvent, liveTopics } from './live.ts'

const WINDOW_MS = 100
const MAX_TRANSFERS = 100
const TOPICS = ['filesChanged', 'transferProgressed', 'accountsChanged', 'accessChanged'] as const

type Gathered = {
  readonly files: FilesChanged | null
  readonly transferIds: ReadonlySet<string>
  readonly accounts: boolean
  readonly access: boolean
}

const NOTHING: Gathered = { files: null, transferIds: new Set(), accounts: false, access: false }

const Changes = builder.objectRef<Gathered>('Changes').implement({
  description: 'All that has changed for the viewer, gathered over a short while: one stream instead of several.',
  fields: (t) => ({
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
    subscribe: (_root, _args, context) => coalesce(gathered(liveTopics(context, TOPICS)), WINDOW_MS, merge),
    resolve: (changes) => changes,
  }),
)

async function* gathered(
  events: AsyncGenerator<LiveEvent<(typeof TOPICS)[number]>, void>,
): AsyncGenerator<Gathered, void> {
  for await (const { topic, event } of events) {
    if (topic === 'filesChanged') yield { ...NOTHING, files: event }
    else if (topic === 'transferProgressed') yield { ...NOTHING, transferIds: new Set([event.transferId]) }
    else if (topic === 'accountsChanged') yield { ...NOTHING, accounts: true }
    else yield { ...NOTHING, access: true }
  }
}

function merge(older: Gathered, newer: Gathered): Gathered {
  const files = older.files && newer.files ? mergeFilesChanged(older.files, newer.files) : (newer.files ?? older.files)
  return {
    files,
    transferIds: new Set([...older.transferIds, ...newer.transferIds]),
    accounts: older.accounts || newer.accounts,
    access: older.access || newer.access,
  }
}
