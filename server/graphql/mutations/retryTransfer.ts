import { ConflictError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf } from '../ids.ts'
import { Transfer } from '../types/Transfer.ts'

builder.relayMutationField(
  'retryTransfer',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    errors: { types: [NotFoundError, ConflictError] },
    resolve: async (_root, { input: { id } }, context) => {
      const viewer = requireViewer(context)
      return { transfer: await context.services.transfers.retry(viewer, databaseIdOf('Transfer', id)) }
    },
  },
  { outputFields: (t) => ({ transfer: t.expose('transfer', { type: Transfer }) }) },
)
