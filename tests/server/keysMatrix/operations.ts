import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql'
import { type IdType, publicId } from '../../../server/lib/ids.ts'

/** By the name of what takes an id, or else of the field it belongs to. */
const NOUNS: readonly (readonly [RegExp, IdType])[] = [
  [/^accountIds?$/, 'Account'],
  [/^groupCloudId$/, 'GroupCloud'],
  [/^(fileIds?|parentId)$/, 'File'],
  [/Files?/, 'File'],
  [/Account|Quotas/, 'Account'],
  [/GroupCloud|Member/, 'GroupCloud'],
  [/Transfer/, 'Transfer'],
  [/ApiKey/, 'ApiKey'],
  [/Session/, 'Session'],
  [/share/i, 'Share'],
  [/upload/, 'Upload'],
]

/** Of a thing that never was. */
function unknownId(field: string, name: string): string {
  const named = NOUNS.find(([pattern]) => pattern.test(name)) ?? NOUNS.find(([pattern]) => pattern.test(field))
  return publicId(named?.[1] ?? 'File', '0'.repeat(32))
}

export type Operation = {
  readonly query: string
  readonly variables: Record<string, unknown>
  readonly withFile: boolean
}

/** An operation that asks for one field at the top with the least that it takes, about things that never were. */
export function operationOn(schema: GraphQLSchema, name: string): Operation {
  const [typeName = '', fieldName = ''] = name.split('.')
  if (typeName === 'User')
    return { query: `{ viewer { ${fieldName} { __typename } } }`, variables: {}, withFile: false }
  const type = schema.getType(typeName)
  if (!type || !('getFields' in type)) throw new Error(`There is no ${typeName}.`)
  const field = type.getFields()[fieldName] as GraphQLField<unknown, unknown>
  const needed = field.args.filter(({ type }) => isNonNullType(type))
  const declared = needed.map((arg) => `$${arg.name}: ${arg.type}`).join(', ')
  const given = needed.map((arg) => `${arg.name}: $${arg.name}`).join(', ')
  const selection = isLeafType(getNamedType(field.type)) ? '' : ' { __typename }'
  return {
    query: `${typeName.toLowerCase()}${declared && `(${declared})`} { ${fieldName}${given && `(${given})`}${selection} }`,
    variables: Object.fromEntries(needed.map((arg) => [arg.name, exampleOf(arg.type, fieldName, arg.name)])),
    withFile: needed.some((arg) => takesFile(arg.type)),
  }
}

function exampleOf(type: GraphQLInputType, field: string, name: string): unknown {
  if (isNonNullType(type)) return exampleOf(type.ofType, field, name)
  if (isListType(type)) return [exampleOf(type.ofType, field, name)]
  if (isEnumType(type)) return type.getValues()[0]?.name
  if (isInputObjectType(type)) {
    const needed = Object.values(type.getFields()).filter((inner) => isNonNullType(inner.type))
    return Object.fromEntries(needed.map((inner) => [inner.name, exampleOf(inner.type, field, inner.name)]))
  }
  if (type.name === 'ID') return unknownId(field, name)
  if (type.name === 'String') return 'x'
  if (type.name === 'Boolean') return true
  if (type.name === 'Upload') return null
  return type.name === 'DateTime' ? '2100-01-01T00:00:00Z' : 1
}

function takesFile(type: GraphQLInputType): boolean {
  const named = getNamedType(type)
  if (isInputObjectType(named)) return Object.values(named.getFields()).some((field) => takesFile(field.type))
  return named.name === 'Upload'
}
