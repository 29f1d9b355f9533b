import type { UploadProgressed } from '../../domain/events.ts'
import { builder } from '../builder.ts'
import { type Context, requireViewer } from '../context.ts'
import { databaseIdOf, globalIdOf } from '../ids.ts'
import { File } from '../types/File.ts'
import { liveEvents } from './live.ts'

const UploadProgress = builder.objectRef<UploadProgressed>('UploadProgress').implement({
  fields: (t) => ({
    uploadId: t.id({ resolve: ({ uploadId }) => globalIdOf('Upload', uploadId) }),
    receivedBytes: t.expose('receivedBytes', { type: 'BigInt' }),
    totalBytes: t.expose('totalBytes', {
      type: 'BigInt',
      description: 'As many as have come, while the size is not known.',
    }),
    file: t.field({
      type: File,
      nullable: true,
      description: 'Set once the upload has become a file.',
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

/** Where the upload stands now, then each step, until it has become a file. @throws NotFoundError */
async function progressOf(uploadId: string, context: Context): Promise<AsyncGenerator<UploadProgressed, void>> {
  const viewer = requireViewer(context)
  await context.services.uploads.get(viewer, uploadId)
  const events = liveEvents(context, 'uploadProgressed')

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
