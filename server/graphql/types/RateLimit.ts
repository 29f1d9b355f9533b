import { complexityFromQuery } from '@pothos/plugin-complexity'
import { type DocumentNode, type GraphQLResolveInfo, Kind } from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import type { RateLeft } from '../../domain/viewer.ts'
import { builder } from '../builder.ts'
import { type Context, requireViewer } from '../context.ts'
import { MAX_COST } from '../limits.ts'

type Limits = { readonly cost: number; readonly left: RateLeft | null }

const RateLimit = builder.objectRef<Limits>('RateLimit').implement({
  description: 'The cost of an operation, and the remaining requests.',
  fields: (t) => ({
    cost: t.int({
      description:
        'Cost of this operation in points: half a point per plain field, more for fields that have to be read.',
      resolve: ({ cost }) => Math.ceil(cost),
    }),
    maxCost: t.int({ description: 'Maximum cost of an operation in points.', resolve: () => MAX_COST }),
    limit: t.int({
      nullable: true,
      description: 'Requests per minute of this API key, GraphQL and REST together; null: no limit.',
      resolve: ({ left }) => left?.limit,
    }),
    remaining: t.int({
      nullable: true,
      description: 'Remaining requests of this API key after this one; null: no limit.',
      resolve: ({ left }) => left?.remaining,
    }),
    resetAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When `remaining` is back at `limit`, without further requests; null: no limit.',
      resolve: ({ left }) => left && new Date(Date.now() + left.resetSeconds * 1000),
    }),
  }),
})

builder.queryField('rateLimit', (t) =>
  t.field({
    type: RateLimit,
    description: 'The cost of this operation, and the remaining requests of the API key.',
    complexity: 0,
    resolve: (_root, _args, context, info) => ({
      cost: costOf(context, info),
      left: requireViewer(context).key?.rate ?? null,
    }),
  }),
)

/** Yoga adds the request's parameters to our context. */
type Asked = Context & { readonly params?: Pick<GraphQLParams, 'variables'> }

function costOf(context: Asked, { operation, fragments, schema }: GraphQLResolveInfo): number {
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation, ...Object.values(fragments)] }
  return complexityFromQuery(document, { schema, ctx: context, variables: context.params?.variables ?? {} }).complexity
}
