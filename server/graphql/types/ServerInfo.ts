import { builder } from '../builder.ts'
import type { ServerInfo as Info } from '../context.ts'

const UploadType = builder.objectRef<NonNullable<Info['uploadTypes']>[number]>('UploadType').implement({
  fields: (t) => ({
    mimeType: t.exposeString('mimeType'),
    extensions: t.stringList({ resolve: ({ extensions }) => [...extensions] }),
  }),
})

export const ServerInfo = builder.objectRef<Info>('ServerInfo').implement({
  fields: (t) => ({
    version: t.exposeString('version'),
    uploadTypes: t.field({
      type: [UploadType],
      nullable: true,
      description: "MIME types and extensions that uploads may have, as the drop zone's accept map; null: any.",
      resolve: ({ uploadTypes }) => uploadTypes && [...uploadTypes],
    }),
    mail: t.exposeBoolean('mail', {
      description: 'Whether mails are sent; otherwise an administrator finds them on the server.',
    }),
  }),
})

builder.queryField('server', (t) => t.field({ type: ServerInfo, resolve: (_root, _args, { server }) => server }))
