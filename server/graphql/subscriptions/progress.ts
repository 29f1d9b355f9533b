import type { TransferProgressed, UploadProgressed } from '../../domain/events.ts'
import { builder } from '../builder.ts'
import { type Context, requireViewer } from '../context.ts'
import { databaseIdOf, globalIdOf } from '../ids.ts'
import { File } from '../types/File.ts'
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
      description: 'null once it is deleted.',
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
      'Progress and state changes of all transfers of the viewer, at most four messages per second and transfer.',
    subscribe: (_root, _args, context) => liveEvents(context, 'transferProgressed'),
    resolve: (progress) => progress,
  }),
)

const UploadProgress = builder.objectRef<UploadProgressed>('UploadProgress').implement({
  fields: (t) => ({
    uploadId: t.id({ resolve: ({ uploadId }) => globalIdOf('Upload', uploadId) }),
    receivedBytes: t.expose('receivedBytes', { type: 'BigInt' }),
    totalBytes: t.expose('totalBytes', {
      type: 'BigInt',
      description: 'The received bytes, while the size is unknown.',
    }),
    file: t.field({
      type: File,
      nullable: true,
      description: 'Set once the upload is completed.',
      resolve: ({ fileId }, _args, context) => (fileId === null ? null : context.load().file(fileId)),
    }),
  }),
})

builder.subscriptionField('uploadProgress', (t) =>
  t.field({
    type: UploadProgress,
    args: { uploadId: t.arg.id({ required: true }) },
    subscribe: (_root, { uploadId }, context) => progressOf(databaseIdOf('Upload', uploadId), context),
    resolve: (progress) => progress,
  }),
)

/** The current progress, then each update, until the upload is completed. @throws NotFoundError */
async function progressOf(uploadId: string, context: Context): Promise<AsyncGenerator<UploadProgressed, void>> {
  const viewer = requireViewer(context)
  await context.services.uploads.get(viewer, uploadId)
  const events = await liveEvents(context, 'uploadProgressed')

  async function* read(): AsyncGenerator<UploadProgressed, void> {
    try {
      const { offset, size, fileId } = await context.services.uploads.get(viewer, uploadId)
      yield { uploadId, receivedBytes: offset, totalBytes: size ?? offset, fileId }
      if (fileId !== null) return
      for await (const event of events) {
        if (event.uploadId !== uploadId) continue
        yield event
        if (event.fileId !== null) return
      }
    } finally {
      await events.return()
    }
  }
  return read()
}
