import { z } from 'zod'
import { NotFoundError } from '../../domain/errors.ts'
import type { Transfer as DomainTransfer, TransfersService } from '../../domain/transfers/contract.ts'
import type { Viewer } from '../../domain/viewer.ts'
import { publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, requireViewer } from '../request.ts'
import { asParameterError, Bytes, DateTime, idParams, listOf, pageQuery } from '../schemas.ts'

const Transfer = z
  .object({
    id: z.string(),
    fileId: z.string(),
    fileName: z.string(),
    mimeType: z.string().nullable(),
    kind: z.enum(['STORE', 'REPAIR', 'MOVE', 'DRAIN']),
    state: z.enum(['WAITING', 'RUNNING', 'PAUSED', 'PARKED', 'DONE', 'FAILED', 'CANCELLED']),
    totalBytes: Bytes,
    sentBytes: Bytes.describe('Bytes confirmed by the providers.'),
    bytesPerSecond: z.number().nullable().describe('Average of the last seconds, while it is running.'),
    accountIds: z.array(z.string()),
    why: z.string().describe('Why these accounts were chosen, as text.'),
    error: z.string().nullable().describe('What stopped it or what it waits for, as text.'),
    nextTryAt: DateTime.nullable(),
    createdAt: DateTime,
    endedAt: DateTime.nullable(),
  })
  .meta({ id: 'Transfer' })

const listQuery = pageQuery.extend({
  open: z.enum(['true', 'false']).optional().describe('`true`: only unfinished ones. `false`: only finished ones.'),
})

type Command = Extract<keyof TransfersService, 'pause' | 'resume' | 'cancel' | 'retry'>

const COMMANDS: Readonly<Record<Command, string>> = {
  pause: 'Pause a transfer; bytes confirmed by the provider are kept',
  resume: 'Resume a paused transfer',
  cancel: 'Cancel the copy; the file stays where it is',
  retry: 'Retry a failed transfer',
}

/** Transfers of copies to accounts. */
export const transfersRoutes: RestPlugin = async (app, { services }) => {
  const tags = ['transfers']
  const { transfers } = services

  app.get(
    '/transfers',
    {
      config: { problems: ['INVALID_INPUT'] },
      schema: {
        tags,
        summary: 'List unfinished transfers, and those of the last day; newest first',
        querystring: listQuery,
        response: { 200: listOf(Transfer) },
      },
    },
    async (request) => {
      const { open, limit, cursor } = request.query
      const options = { open: open === undefined ? open : open === 'true', limit, after: cursor }
      const page = await transfers.page(requireViewer(request), options).catch(asParameterError)
      const nextCursor = page.hasNextPage ? (page.items.at(-1)?.cursor ?? null) : null
      return { items: page.items.map(({ transfer }) => present(transfer)), nextCursor }
    },
  )

  app.get(
    '/transfers/:id',
    {
      config: { problems: ['NOT_FOUND'] },
      schema: { tags, summary: 'Read a transfer', params: idParams, response: { 200: Transfer } },
    },
    async (request) => present(await find(transfers, requireViewer(request), request.params.id)),
  )

  for (const command of Object.keys(COMMANDS) as Command[]) {
    app.post(
      `/transfers/:id/${command}`,
      {
        config: { problems: ['NOT_FOUND', 'CONFLICT'] },
        schema: { tags, summary: COMMANDS[command], params: idParams, response: { 200: Transfer } },
      },
      async (request) => {
        const id = databaseId('Transfer', request.params.id)
        return present(await transfers[command](requireViewer(request), id))
      },
    )
  }
}

/** @throws NotFoundError */
async function find(transfers: TransfersService, viewer: Viewer, id: string): Promise<DomainTransfer> {
  const [transfer] = await transfers.getMany(viewer, [databaseId('Transfer', id)])
  if (!transfer) throw new NotFoundError()
  return transfer
}

function present(transfer: DomainTransfer): z.infer<typeof Transfer> {
  return {
    ...transfer,
    id: publicId('Transfer', transfer.id),
    fileId: publicId('File', transfer.fileId),
    accountIds: transfer.accountIds.map((id) => publicId('Account', id)),
    nextTryAt: transfer.nextTryAt?.toISOString() ?? null,
    createdAt: transfer.createdAt.toISOString(),
    endedAt: transfer.endedAt?.toISOString() ?? null,
  }
}
