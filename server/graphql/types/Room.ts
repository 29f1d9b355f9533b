import { FILE_CATEGORIES } from '../../domain/files/contract.ts'
import type {
  RoomContent as DomainContent,
  RoomEntry as DomainEntry,
  RoomFile as DomainFile,
  Room as DomainRoom,
  RoomType as DomainType,
} from '../../domain/room/service.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf, optionalIdOf } from '../ids.ts'
import { found } from '../loaders.ts'
import { Account } from './Account.ts'
import { File, FileCategory, FileHome } from './File.ts'

/** Everything in the answer is computed together: its lists cost nothing more, whatever their length. */
const ANSWER_COST = 100
const INCLUDED = { field: 1, multiplier: 0 } as const

type Child = DomainEntry & { readonly children?: readonly DomainEntry[] }

const RoomEntry = builder.objectRef<Child>('RoomEntry')

RoomEntry.implement({
  description: 'What takes room in a folder.',
  fields: (t) => ({
    file: t.field({ type: File, description: 'The file or folder.', resolve: ({ file }) => file }),
    bytes: t.expose('bytes', { type: 'BigInt', description: 'With everything below it.' }),
    files: t.exposeInt('files', { description: 'Number of files with a size: 1 for a file.' }),
    changedAt: t.expose('changedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Last change of a file below it.',
    }),
    children: t.field({
      type: [RoomEntry],
      description: 'Its own largest entries, at most 8; only of the first 12 folders of a list.',
      complexity: INCLUDED,
      resolve: ({ children }) => [...(children ?? [])],
    }),
  }),
})

const RoomFile = builder.objectRef<DomainFile>('RoomFile').implement({
  description: 'A file in a list of files that take room.',
  fields: (t) => ({
    file: t.field({ type: File, description: 'The file.', resolve: ({ file }) => file }),
    bytes: t.expose('bytes', { type: 'BigInt', description: 'Its size, or its bytes on the account.' }),
    changedAt: t.expose('changedAt', { type: 'DateTime', nullable: true, description: 'When it was last changed.' }),
    path: t.stringList({
      description: 'Names of the folders above it, from the root of the account or of your own files.',
      complexity: INCLUDED,
      resolve: ({ path }) => [...path],
    }),
  }),
})

const RoomType = builder.objectRef<DomainType>('RoomType').implement({
  description: 'The files of one type.',
  fields: (t) => ({
    category: t.expose('category', { type: FileCategory, description: 'The type.' }),
    files: t.exposeInt('files', { description: 'Number of files.' }),
    bytes: t.expose('bytes', { type: 'BigInt', description: 'Their size.' }),
  }),
})

const RoomSum = builder.objectRef<{ readonly files: number; readonly bytes: number }>('RoomSum').implement({
  description: 'Several files together.',
  fields: (t) => ({
    files: t.exposeInt('files', { description: 'Number of files.' }),
    bytes: t.expose('bytes', { type: 'BigInt', description: 'Their size.' }),
  }),
})

const RoomOthers = builder.objectRef<DomainContent['others']>('RoomOthers').implement({
  description: 'The entries of a folder that are not listed.',
  fields: (t) => ({
    count: t.exposeInt('count', { description: 'Number of entries.' }),
    files: t.exposeInt('files', { description: 'Number of files in them.' }),
    bytes: t.expose('bytes', { type: 'BigInt', description: 'Their size.' }),
  }),
})

const RoomContent = builder.objectRef<DomainContent>('RoomContent').implement({
  description:
    'What fills a folder, with everything below it. `children` and `others` together are the whole, and so are `types`. Documents\n' +
    'without a size never count. Pooled files count with their bytes on the account: copies count at each account that holds one.',
  fields: (t) => ({
    bytes: t.expose('bytes', { type: 'BigInt', description: 'Of all files below.' }),
    files: t.exposeInt('files', { description: 'Number of all files below that have a size.' }),
    folders: t.exposeInt('folders', { description: 'Number of all folders below.' }),
    unsized: t.exposeInt('unsized', { description: 'Number of documents without a size, which count nowhere else.' }),
    changedAt: t.expose('changedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Last change of a file below it; null if there is none.',
    }),
    untouched: t.field({
      type: RoomSum,
      description: 'Files that no one changed for five years.',
      resolve: ({ untouched }) => untouched,
    }),
    types: t.field({
      type: [RoomType],
      description: 'By type, largest first.',
      complexity: { field: 1, multiplier: FILE_CATEGORIES.length },
      resolve: ({ types }) => [...types],
    }),
    children: t.field({
      type: [RoomEntry],
      description: 'The largest entries directly in it, largest first, at most 100.',
      complexity: INCLUDED,
      resolve: ({ children }): Child[] => [...children],
    }),
    others: t.field({
      type: RoomOthers,
      description: 'All further entries together, and those that are gone since.',
      resolve: ({ others }) => others,
    }),
    biggest: t.field({
      type: [RoomFile],
      description: 'Files, largest first, at most 50.',
      complexity: INCLUDED,
      resolve: ({ biggest }) => [...biggest],
    }),
    oldest: t.field({
      type: [RoomFile],
      description: 'Files that were unchanged longest, at most 50.',
      complexity: INCLUDED,
      resolve: ({ oldest }) => [...oldest],
    }),
  }),
})

const RoomParts = builder.objectRef<DomainRoom['parts']>('RoomParts').implement({
  description: 'What the used space of an account consists of.',
  fields: (t) => ({
    usedBytes: t.expose('usedBytes', { type: 'BigInt', description: 'As the provider counts it.' }),
    inPlaceBytes: t.expose('inPlaceBytes', {
      type: 'BigInt',
      nullable: true,
      description: 'In the account under its own names; null where that is not shown, and until it is computed.',
    }),
    pooledBytes: t.expose('pooledBytes', {
      type: 'BigInt',
      description: 'Stored by Skypool. Copies count at each account that holds one.',
    }),
    pooledTrashBytes: t.expose('pooledTrashBytes', {
      type: 'BigInt',
      description: "In Skypool's trash; included in `pooledBytes`.",
    }),
    trashBytes: t.expose('trashBytes', {
      type: 'BigInt',
      nullable: true,
      description: "In the provider's trash; null where the provider does not report it.",
    }),
    otherBytes: t.expose('otherBytes', {
      type: 'BigInt',
      nullable: true,
      description: 'Everything else; null until the other parts are known.',
    }),
  }),
})

const RoomWasted = builder.objectRef<NonNullable<DomainRoom['wasted']>>('RoomWasted').implement({
  description: 'What equal files of an account waste: those with the same size and hash, all but one of each group.',
  fields: (t) => ({
    groups: t.exposeInt('groups', { description: 'Number of groups of equal files.' }),
    bytes: t.expose('bytes', { type: 'BigInt', description: 'Of all files but one of each group.' }),
  }),
})

const Room = builder.objectRef<DomainRoom>('Room').implement({
  description: 'What fills an account, or a folder of it.',
  fields: (t) => ({
    account: t.field({
      type: Account,
      description: 'The account.',
      resolve: async ({ accountId }, _args, context) => found(await context.load().account(accountId)),
    }),
    home: t.expose('home', {
      type: FileHome,
      description: 'ACCOUNT: what the account holds under its own names. POOL: what Skypool stores in it.',
    }),
    folder: t.field({
      type: File,
      nullable: true,
      description: 'The folder; null is the root of what Skypool stores.',
      resolve: ({ folder }) => folder,
    }),
    asOf: t.expose('asOf', {
      type: 'DateTime',
      nullable: true,
      description: 'When `content` was computed; null with it.',
    }),
    isComputing: t.exposeBoolean('isComputing', {
      description:
        'Whether it is being computed now, because there is no answer yet or it is old. `accountsChanged` tells when it is done.',
    }),
    content: t.field({
      type: RoomContent,
      nullable: true,
      description: 'What fills the folder; null while it is computed for the first time.',
      resolve: ({ content }) => content,
    }),
    parts: t.field({
      type: RoomParts,
      description: 'What the used space of the account consists of.',
      resolve: ({ parts }) => parts,
    }),
    wasted: t.field({
      type: RoomWasted,
      nullable: true,
      description: 'What duplicates waste in the whole account; null until it is computed.',
      resolve: ({ wasted }) => wasted,
    }),
  }),
})

builder.prismaObjectField('User', 'room', (t) =>
  t.field({
    type: Room,
    description:
      'What fills an account, or a folder of it. Folders of up to 5,000 entries are added up at once; larger ones are computed in the\n' +
      'background, at most once a minute.',
    args: {
      accountId: t.arg.id({ required: true, description: 'The account.' }),
      parentId: t.arg.id({ description: 'A folder in the account or of your own; by default the root.' }),
      home: t.arg({
        type: FileHome,
        description: 'At the root: what the account holds, or what Skypool stores in it. By default ACCOUNT if shown.',
      }),
    },
    complexity: ANSWER_COST,
    resolve: (_user, { accountId, parentId, home }, context) =>
      context.services.room.find(requireViewer(context), {
        accountId: databaseIdOf('Account', accountId),
        parentId: optionalIdOf('File', parentId) ?? undefined,
        home: home ?? undefined,
      }),
  }),
)
