import type { Copy as DomainCopy } from '../../domain/files/contract.ts'
import { builder } from '../builder.ts'
import { found } from '../found.ts'
import { globalIdOf } from '../ids.ts'
import { Account } from './Account.ts'
import { CopyState, PieceState } from './enums.ts'

const Piece = builder.objectRef<DomainCopy['pieces'][number]>('Piece').implement({
  fields: (t) => ({
    account: t.field({
      type: Account,
      resolve: async ({ accountId }, _args, context) => found(await context.load().account(accountId)),
    }),
    index: t.exposeInt('index'),
    offset: t.expose('offset', { type: 'BigInt' }),
    size: t.expose('size', { type: 'BigInt' }),
    state: t.expose('state', { type: PieceState, description: 'PLANNED: its bytes are on their way there.' }),
  }),
})

export const Copy = builder.objectRef<DomainCopy>('Copy').implement({
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => globalIdOf('Copy', id) }),
    state: t.expose('state', { type: CopyState }),
    why: t.exposeString('why', { description: 'Why it was put there, in words.' }),
    changedAt: t.expose('changedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Since when an account has another version in its place, which somebody made there. It is left alone; see keepChangedVersion.',
    }),
    checkedAt: t.expose('checkedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When all of its pieces were last seen to be whole where they are; null while it is no whole copy.',
    }),
    pieces: t.field({
      type: [Piece],
      complexity: { field: 1, multiplier: 2 },
      resolve: ({ pieces }) => [...pieces],
    }),
  }),
})
