import type { PlacementPreview as DomainPreview } from '../../domain/groupClouds/contract.ts'
import { builder } from '../builder.ts'
import { found } from '../found.ts'
import { Account } from './Account.ts'

type PreviewCopy = DomainPreview['copies'][number]

const PreviewPiece = builder.objectRef<PreviewCopy['pieces'][number]>('PlacementPreviewPiece').implement({
  fields: (t) => ({
    account: t.field({
      type: Account,
      resolve: async ({ accountId }, _args, context) => found(await context.load().account(accountId)),
    }),
    size: t.expose('size', { type: 'BigInt', description: 'Bytes of the copy that would be on this account.' }),
  }),
})

const PreviewCopy = builder.objectRef<PreviewCopy>('PlacementPreviewCopy').implement({
  fields: (t) => ({
    pieces: t.field({ type: [PreviewPiece], resolve: ({ pieces }) => [...pieces] }),
  }),
})

export const PlacementPreview = builder.objectRef<DomainPreview>('PlacementPreview').implement({
  fields: (t) => ({
    placed: t.exposeBoolean('placed', { description: 'False when there is no room for one copy.' }),
    why: t.exposeString('why', { description: 'In words.' }),
    copies: t.field({ type: [PreviewCopy], resolve: ({ copies }) => [...copies] }),
  }),
})
