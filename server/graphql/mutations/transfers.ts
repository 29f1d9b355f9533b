import { ConflictError, NotFoundError } from '../../domain/errors.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf } from '../ids.ts'
import { Transfer } from '../types/Transfer.ts'

builder.relayMutationField(
  'pauseTransfer',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    errors: { types: [NotFoundError, ConflictError] },
    resolve: async (_root, { input: { id } }, context) => {
      const viewer = requireViewer(context)
      return { transfer: await context.services.transfers.pause(viewer, databaseIdOf('Transfer', id)) }
    },
  },
  { outputFields: (t) => ({ transfer: t.expose('transfer', { type: Transfer }) }) },
)

builder.relayMutationField(
  'resumeTransfer',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    errors: { types: [NotFoundError, ConflictError] },
    resolve: async (_root, { input: { id } }, context) => {
      const viewer = requireViewer(context)
      return { transfer: await context.services.transfers.resume(viewer, databaseIdOf('Transfer', id)) }
    },
  },
  { outputFields: (t) => ({ transfer: t.expose('transfer', { type: Transfer }) }) },
)

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

builder.relayMutationField(
  'cancelTransfer',
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    errors: { types: [NotFoundError, ConflictError] },
    resolve: async (_root, { input: { id } }, context) => {
      const viewer = requireViewer(context)
      return { transfer: await context.services.transfers.cancel(viewer, databaseIdOf('Transfer', id)) }
    },
  },
  { outputFields: (t) => ({ transfer: t.expose('transfer', { type: Transfer }) }) },
)
