import { complexityFromQuery } from '@pothos/plugin-complexity'
import { type DocumentNode, type GraphQLResolveInfo, Kind } from 'graphql'
import type { GraphQLParams } from 'graphql-yoga'
import type { RateLeft } from '../../domain/viewer.ts'
import { builder } from '../builder.ts'
import { type Context, requireViewer } from '../context.ts'
import { MAX_COST } from '../limits.ts'

type Limits = { readonly cost: number; readonly left: RateLeft | null }

const RateLimit = builder.objectRef<Limits>('RateLimit').implement({
  description: 'What an operation costs, and what may still be asked.',
  fields: (t) => ({
    cost: t.int({
      description: 'Points of this operation: half a point for each field of a row, more for what has to be read.',
      resolve: ({ cost }) => Math.ceil(cost),
    }),
    maxCost: t.int({ description: 'Points that one operation may cost.', resolve: () => MAX_COST }),
    limit: t.int({
      nullable: true,
      description: 'Requests a minute by this API key, GraphQL and REST together; null where there is no limit.',
      resolve: ({ left }) => left?.limit,
    }),
    remaining: t.int({
      nullable: true,
      description: 'Requests that are left to this API key now, after this one; null where there is no limit.',
      resolve: ({ left }) => left?.remaining,
    }),
    resetAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When all of them are there again, if nothing is asked until then; null where there is no limit.',
      resolve: ({ left }) => left && new Date(Date.now() + left.resetSeconds * 1000),
    }),
  }),
})

builder.queryField('rateLimit', (t) =>
  t.field({
    type: RateLimit,
    description: 'What this operation costs, and what is left to the API key that asks.',
    complexity: 0,
    resolve: (_root, _args, context, info) => ({
      cost: costOf(context, info),
      left: requireViewer(context).key?.rate ?? null,
    }),
  }),
)

/** Yoga puts the request beside what we give it. */
type Asked = Context & { readonly params?: Pick<GraphQLParams, 'variables'> }

function costOf(context: Asked, { operation, fragments, schema }: GraphQLResolveInfo): number {
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions: [operation, ...Object.values(fragments)] }
  return complexityFromQuery(document, { schema, ctx: context, variables: context.params?.variables ?? {} }).complexity
}
