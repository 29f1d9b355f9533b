import type { TransferProgressed } from '../../domain/events.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { Transfer } from '../types/Transfer.ts'
import { liveEvents } from './live.ts'

const TransferProgress = builder.objectRef<TransferProgressed>('TransferProgress').implement({
  fields: (t) => ({
    transferId: t.id({ resolve: ({ transferId }) => globalIdOf('Transfer', transferId) }),
    sentBytes: t.expose('sentBytes', { type: 'BigInt' }),
    bytesPerSecond: t.exposeFloat('bytesPerSecond', { nullable: true }),
    transfer: t.field({
      type: Transfer,
      nullable: true,
      description: 'null once it is gone.',
      complexity: 5,
      resolve: async ({ transferId }, _args, context) => {
        const [transfer] = await context.services.transfers.getMany(requireViewer(context), [transferId])
        return transfer ?? null
      },
    }),
  }),
})

builder.subscriptionField('transferProgress', (t) =>
  t.field({
    type: TransferProgress,
    description:
      'Every step of every transfer of the viewer: bytes and changes of state, at most four a second of each.',
    subscribe: (_root, _args, context) => liveEvents(context, 'transferProgressed'),
    resolve: (progress) => progress,
  }),
)
