import { z } from 'zod'
import { FILE_CATEGORIES } from '../../domain/files/contract.ts'
import type { RoomEntry as DomainEntry, RoomFile as DomainFile, Room as DomainRoom } from '../../domain/room/service.ts'
import { publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, optionalId, requireViewer } from '../request.ts'
import { Bytes, DateTime } from '../schemas.ts'

const files = z.int().describe('Number of files with a size: 1 for a file.')
const bytes = Bytes.describe('With everything below it.')

const RoomEntry = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(['FILE', 'FOLDER']),
    category: z.enum(FILE_CATEGORIES),
    bytes,
    files,
    changedAt: DateTime.nullable().describe('Last change of a file below it.'),
  })
  .meta({ id: 'RoomEntry' })

const RoomChild = RoomEntry.extend({
  children: z.array(RoomEntry).describe('Its own largest entries, at most 8; only of the first 12 folders.'),
}).meta({ id: 'RoomChild' })

const RoomFile = RoomEntry.extend({
  path: z
    .array(z.string())
    .describe('Names of the folders above it, from the root of the account or of your own files.'),
}).meta({ id: 'RoomFile' })

const RoomContent = z
  .object({
    bytes: Bytes.describe('Of all files below.'),
    files: z.int().describe('Number of all files below that have a size.'),
    folders: z.int().describe('Number of all folders below.'),
    unsized: z.int().describe('Number of documents without a size (Google Docs): they count nowhere else.'),
    changedAt: DateTime.nullable().describe('Last change of a file below it; null if there is none.'),
    untouched: z
      .object({ files: z.int().describe('Number of files.'), bytes: Bytes.describe('Their size.') })
      .describe('Files that no one changed for five years.'),
    types: z
      .array(
        z.object({
          category: z.enum(FILE_CATEGORIES),
          files: z.int().describe('Number of files.'),
          bytes: Bytes.describe('Their size.'),
        }),
      )
      .describe('By type, largest first.'),
    children: z.array(RoomChild).describe('The largest entries directly in it, largest first, at most 100.'),
    others: z
      .object({
        count: z.int().describe('Number of entries.'),
        files: z.int().describe('Number of files in them.'),
        bytes: Bytes.describe('Their size.'),
      })
      .describe('All further entries together, and those that are gone since.'),
    biggest: z.array(RoomFile).describe('Files, largest first, at most 50.'),
    oldest: z.array(RoomFile).describe('Files that were unchanged longest, at most 50.'),
  })
  .meta({ id: 'RoomContent' })

const Room = z
  .object({
    accountId: z.string(),
    home: z
      .enum(['ACCOUNT', 'POOL'])
      .describe('ACCOUNT: what the account holds under its own names. POOL: what Skypool stores in it.'),
    parentId: z.string().nullable().describe('The folder; null is the root of what Skypool stores.'),
    asOf: DateTime.nullable().describe('When `content` was computed; null with it.'),
    isComputing: z
      .boolean()
      .describe(
        'Whether it is being computed now, because there is no answer yet or it is old. Ask again in some seconds.',
      ),
    content: RoomContent.nullable().describe('What fills the folder; null while it is computed for the first time.'),
    parts: z
      .object({
        usedBytes: Bytes.describe('As the provider counts it.'),
        inPlaceBytes: Bytes.nullable().describe(
          'In the account under its own names; null where that is not shown, and until it is computed.',
        ),
        pooledBytes: Bytes.describe('Stored by Skypool. Copies count at each account that holds one.'),
        pooledTrashBytes: Bytes.describe("In Skypool's trash; included in `pooledBytes`."),
        trashBytes: Bytes.nullable().describe("In the provider's trash; null where the provider does not report it."),
        otherBytes: Bytes.nullable().describe('Everything else; null until the other parts are known.'),
      })
      .describe('What the used space of the account consists of.'),
    wasted: z
      .object({
        groups: z.int().describe('Number of groups of equal files.'),
        bytes: Bytes.describe('Of all files but one of each group.'),
      })
      .nullable()
      .describe('What files with the same size and hash waste in the whole account; null until it is computed.'),
  })
  .meta({ id: 'Room' })

const RoomQuery = z.strictObject({
  accountId: z.string().max(200).describe('The account.'),
  parentId: z.string().max(200).optional().describe('A folder in the account or of your own; by default the root.'),
  home: z
    .enum(['ACCOUNT', 'POOL'])
    .optional()
    .describe('ACCOUNT: what the account holds. POOL: what Skypool stores in it. By default ACCOUNT if that is shown.'),
})

/** What fills an account. */
export const roomRoutes: RestPlugin = async (app, { services: { room } }) => {
  app.get(
    '/room',
    {
      config: { problems: ['INVALID_INPUT', 'NOT_FOUND'] },
      schema: {
        tags: ['accounts'],
        summary: 'Find what fills an account, or a folder of it',
        description:
          'Folders of up to 5,000 entries are added up at once. Larger ones are computed in the background, at most once a minute.',
        querystring: RoomQuery,
        response: { 200: Room },
      },
    },
    async (request) => {
      const { accountId, parentId, home } = request.query
      const question = {
        accountId: databaseId('Account', accountId),
        parentId: optionalId('File', parentId),
        home,
      }
      return present(await room.find(requireViewer(request), question))
    },
  )
}

function present({ accountId, home, folder, asOf, isComputing, content, parts, wasted }: DomainRoom) {
  return {
    accountId: publicId('Account', accountId),
    home,
    parentId: folder && publicId('File', folder.id),
    asOf: asOf?.toISOString() ?? null,
    isComputing,
    content: content && presentContent(content),
    parts,
    wasted,
  }
}

function presentContent(content: NonNullable<DomainRoom['content']>): z.infer<typeof RoomContent> {
  return {
    ...content,
    changedAt: content.changedAt?.toISOString() ?? null,
    types: content.types.map((type) => ({ ...type })),
    children: content.children.map((child) => ({ ...presentEntry(child), children: child.children.map(presentEntry) })),
    biggest: content.biggest.map(presentFile),
    oldest: content.oldest.map(presentFile),
  }
}

function presentEntry({ file, bytes, files, changedAt }: DomainEntry): z.infer<typeof RoomEntry> {
  const { id, name, kind, category } = file
  return { id: publicId('File', id), name, kind, category, bytes, files, changedAt: changedAt?.toISOString() ?? null }
}

function presentFile(file: DomainFile): z.infer<typeof RoomFile> {
  return { ...presentEntry(file), path: [...file.path] }
}
