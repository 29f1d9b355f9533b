import SchemaBuilder from '@pothos/core'
import ComplexityPlugin from '@pothos/plugin-complexity'
import ErrorsPlugin from '@pothos/plugin-errors'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import { GraphQLError } from 'graphql'
import type { FileUpload } from 'graphql-upload-minimal'
import type PrismaTypes from '../db/generated/pothos.ts'
import { getDatamodel } from '../db/generated/pothos.ts'
import type { Context } from './context.ts'
import { globalIdOf, type NodeType } from './ids.ts'
import { MAX_COST } from './limits.ts'

/** Cost of a field that the loaded row contains; a field that has to be read declares its own cost. */
const ROW_FIELD_COST = 0.5

export const builder = new SchemaBuilder<{
  Context: Context
  PrismaTypes: PrismaTypes
  DefaultFieldNullability: false
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: Date; Output: Date }
    /** Byte counts are far below 2^53, so a number is exact. */
    BigInt: { Input: number; Output: number }
    Upload: { Input: FileUpload; Output: never }
  }
}>({
  plugins: [ErrorsPlugin, RelayPlugin, PrismaPlugin, ComplexityPlugin],
  defaultFieldNullability: false,
  errors: {
    directResult: true,
    defaultUnionOptions: { name: ({ fieldName }) => `${fieldName.charAt(0).toUpperCase()}${fieldName.slice(1)}Result` },
  },
  relay: {
    clientMutationId: 'optional',
    encodeGlobalID: (type, id) => globalIdOf(type as NodeType, String(id)),
    nodeQueryOptions: false,
    nodesQueryOptions: false,
  },
  prisma: {
    client: (context) => context.db,
    dmmf: getDatamodel(),
    onUnusedQuery: 'error',
  },
  complexity: {
    defaultComplexity: ROW_FIELD_COST,
    defaultListMultiplier: 10,
    limit: { complexity: MAX_COST },
    complexityError: (_kind, { complexity }) =>
      new GraphQLError(
        `This operation costs ${Math.ceil(complexity)} points and at most ${MAX_COST} are allowed. Please ask for fewer fields or fewer items.`,
        { extensions: { code: 'TOO_COSTLY' } },
      ),
  },
})

builder.queryType()
builder.mutationType()
builder.subscriptionType()
