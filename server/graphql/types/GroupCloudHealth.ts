import type { GroupCloudHealth as DomainHealth } from '../../domain/groupClouds/contract.ts'
import { builder } from '../builder.ts'

export const GroupCloudHealth = builder.objectRef<DomainHealth>('GroupCloudHealth').implement({
  description: 'How the files of a group cloud fare; what is in Trash does not count.',
  fields: (t) => ({
    files: t.exposeInt('files'),
    bytes: t.expose('bytes', { type: 'BigInt' }),
    atRiskFiles: t.exposeInt('atRiskFiles', {
      description: 'Cannot be read whole now, or have fewer copies than asked for and none on its way.',
    }),
    storingFiles: t.exposeInt('storingFiles', { description: 'Have a copy on its way.' }),
    summary: t.exposeString('summary', { description: 'One sentence.' }),
  }),
})
