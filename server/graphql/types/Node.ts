import { brandWithType } from '@pothos/core'
import { InvalidInputError } from '../../domain/errors.ts'
import { type IdType, parsePublicId } from '../../lib/ids.ts'
import { builder } from '../builder.ts'
import type { Context } from '../context.ts'
import { globalIdOf, type NodeType } from '../ids.ts'
import type { Loaders } from '../loaders.ts'
import { MAX_PAGE } from '../pages.ts'
import { Account } from './Account.ts'
import { ApiKey } from './ApiKey.ts'
import { Copy, File } from './File.ts'
import { GroupCloud } from './GroupCloud.ts'
import { Job } from './Job.ts'
import { Share } from './Share.ts'
import { Tag } from './Tag.ts'
import { Transfer } from './Transfer.ts'
import { UploadLink } from './UploadLink.ts'
import { Session, User } from './User.ts'

/** Finds a node of each type with access checks; null for nodes of other users. */
const FINDERS: { readonly [Type in NodeType]: (load: Loaders, id: string) => Promise<object | null> } = {
  User: async ({ viewerId }, id) => (id === viewerId ? { id } : null),
  Account: ({ account }, id) => account(id),
  GroupCloud: ({ groupCloud }, id) => groupCloud(id),
  File: ({ file }, id) => file(id),
  Copy: async ({ fileOfCopy, copies }, id) => {
    const fileId = await fileOfCopy(id)
    return (fileId && (await copies(fileId)).find((copy) => copy.id === id)) || null
  },
  Transfer: ({ transfer }, id) => transfer(id),
  Job: ({ job }, id) => job(id),
  Share: ({ share }, id) => share(id),
  UploadLink: ({ uploadLink }, id) => uploadLink(id),
  Tag: ({ tag }, id) => tag(id),
  Session: ({ session }, id) => session(id),
  ApiKey: ({ apiKey }, id) => apiKey(id),
}

const TYPES = { User, Account, GroupCloud, File, Copy, Transfer, Job, Share, UploadLink, Tag, Session, ApiKey }

const Node = builder.nodeInterfaceRef()

builder.queryField('node', (t) =>
  t.field({
    type: Node,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, context) => nodeOf(id, context),
  }),
)

builder.queryField('nodes', (t) =>
  t.field({
    type: [Node],
    nullable: { list: false, items: true },
    args: { ids: t.arg.idList({ required: true }) },
    complexity: ({ ids }) => ({ field: 1, multiplier: ids.length }),
    resolve: (_root, { ids }, context) => {
      if (ids.length > MAX_PAGE) {
        throw new InvalidInputError([{ path: 'ids', message: `At most ${MAX_PAGE} nodes can be requested at once.` }])
      }
      return Promise.all(ids.map((id) => nodeOf(id, context)))
    },
  }),
)

/** null for ids that are malformed, unknown or of another user, and for callers that are not signed in. */
async function nodeOf(globalId: string, context: Context): Promise<object | null> {
  const parsed = parsePublicId(globalId)
  // Ids for link visitors are no nodes, and a node must have the id that was requested.
  if (parsed && globalIdOf(parsed.type as NodeType, parsed.id) !== globalId) return null
  if (!parsed || !isNodeType(parsed.type) || !context.viewer()) return null
  const node = await FINDERS[parsed.type](context.load(), parsed.id)
  if (node) brandWithType(node, TYPES[parsed.type])
  return node
}

function isNodeType(type: IdType): type is NodeType {
  return type in FINDERS
}
