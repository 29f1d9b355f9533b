import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql'
import type { Random } from '../crashTest/random.ts'
import { mangledForm } from './forms.ts'
import { NAUGHTY } from './naughty.ts'
import { ODD_DOCUMENTS, ODD_ENVELOPES } from './oddDocuments.ts'
import type { HostileRequest, World } from './request.ts'
import { chance, encoded, oddBody, oddJson, oddType, pick } from './values.ts'

type Root = { readonly kind: 'query' | 'mutation' | 'subscription'; readonly field: GraphQLField<unknown, unknown> }

const JSON_TYPE = { 'content-type': 'application/json' }

/** Creates invalid operations from the schema. */
export function createGraphqlRequests(schema: GraphQLSchema) {
  const roots: Root[] = [
    ...fieldsOf('query', schema.getQueryType()?.getFields()),
    ...fieldsOf('mutation', schema.getMutationType()?.getFields()),
    ...fieldsOf('subscription', schema.getSubscriptionType()?.getFields()),
  ]

  return (random: Random, world: World): HostileRequest => {
    const roll = random.next()
    if (roll < 0.06) return post(oddBody(random), chance(random, 0.7) ? 'application/json' : oddType(random))
    if (roll < 0.14) return post(Buffer.from(pick(random, ODD_ENVELOPES)), 'application/json')
    if (roll < 0.2) return { method: 'POST', path: '/graphql', ...asRequest(mangledForm(random, 'operations')) }
    if (roll < 0.3) return sent(random, JSON.stringify(pick(random, ODD_DOCUMENTS)), '{}')
    const { query, variables } = operationOf(random, pick(random, roots), world)
    return sent(random, JSON.stringify(chance(random, 0.15) ? damaged(random, query) : query), variables)
  }
}

function fieldsOf(kind: Root['kind'], fields: Record<string, Root['field']> = {}): Root[] {
  return Object.values(fields).map((field) => ({ kind, field }))
}

function post(body: Buffer, type: string): HostileRequest {
  return { method: 'POST', path: '/graphql', headers: { 'content-type': type }, body }
}

function asRequest({ body, type }: { body: Buffer; type: string }): Pick<HostileRequest, 'headers' | 'body'> {
  return { headers: { 'content-type': type }, body }
}

/** `query` and `variables` are JSON. */
function sent(random: Random, query: string, variables: string): HostileRequest {
  if (chance(random, 0.07)) {
    const path = `/graphql?query=${encoded(JSON.parse(query) as string)}&variables=${encoded(variables)}`
    return { method: 'GET', path: path.slice(0, 8_000).replace(/%.?$/, ''), headers: {} }
  }
  const type = chance(random, 0.05) ? oddType(random) : JSON_TYPE['content-type']
  return post(Buffer.from(`{"query":${query},"variables":${variables}}`), type)
}

function operationOf(random: Random, { kind, field }: Root, world: World): { query: string; variables: string } {
  const victim = field.args.length > 0 ? pick(random, field.args).name : null
  const declared = field.args.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ')
  const passed = field.args.map(({ name }) => `${name}: $${name}`).join(', ')
  const values = field.args
    .filter((arg) => arg.name === victim || isNonNullType(arg.type) || chance(random, 0.4))
    .map(({ name, type }) => `${JSON.stringify(name)}:${inputJson(random, type, world, name, name === victim)}`)
  const selection = selectionOf(field.type, 3)
  const heads = passed === '' ? ['', ''] : [`(${declared})`, `(${passed})`]
  return { query: `${kind} Odd${heads[0]} { ${field.name}${heads[1]}${selection} }`, variables: `{${values.join()}}` }
}

/** JSON for an input; with `odd`, one field has an unexpected value. */
function inputJson(random: Random, type: GraphQLInputType, world: World, name: string, odd: boolean): string {
  const inner = isNonNullType(type) ? type.ofType : type
  if (odd && (!isInputObjectType(inner) || chance(random, 0.15))) return oddJson(random)
  if (isListType(inner)) return `[${inputJson(random, inner.ofType as GraphQLInputType, world, name, false)}]`
  if (isEnumType(inner)) return JSON.stringify(pick(random, inner.getValues()).name)
  if (!isInputObjectType(inner)) return leafOf(random, String(inner), name, world)
  const fields = Object.values(inner.getFields())
  const victim = odd ? pick(random, fields).name : null
  const used = fields.filter((field) => field.name === victim || isNonNullType(field.type) || chance(random, 0.3))
  const pairs = used.map((field) => {
    const value = inputJson(random, field.type, world, field.name, field.name === victim)
    return `${JSON.stringify(field.name)}:${value}`
  })
  if (odd && chance(random, 0.1)) pairs.push(`${JSON.stringify(pick(random, NAUGHTY))}:1`, '"__proto__":{"x":1}')
  return `{${pairs.join()}}`
}

function leafOf(random: Random, type: string, name: string, world: World): string {
  if (type === 'ID') return JSON.stringify(pick(random, world.ids))
  if (type === 'Boolean') return String(chance(random, 0.5))
  if (type === 'Int' || type === 'Float' || type === 'BigInt') return String(random.between(1, 50))
  if (type === 'DateTime') return '"2030-01-01T00:00:00.000Z"'
  return JSON.stringify(/email/i.test(name) ? 'a@example.org' : 'plain text')
}

/** Every leaf, and every member of unions, down to a few levels. */
function selectionOf(type: GraphQLOutputType, levels: number): string {
  const named = getNamedType(type)
  if (isLeafType(named)) return ''
  if (isUnionType(named)) {
    const members = named.getTypes().map((member) => `... on ${member.name}${selectionOf(member, levels - 1)}`)
    return ` { __typename ${members.join(' ')} }`
  }
  if (!isObjectType(named)) return ' { __typename }'
  const fields = Object.values(named.getFields())
    .filter((field) => field.args.every((arg) => !isNonNullType(arg.type)))
    .filter((field) => isLeafType(getNamedType(field.type)) || (levels > 0 && !field.name.endsWith('s')))
  return ` { __typename ${fields.map((field) => field.name + selectionOf(field.type, levels - 1)).join(' ')} }`
}

/** A part removed, repeated or inserted. */
function damaged(random: Random, query: string): string {
  const at = random.between(0, query.length)
  const roll = random.next()
  if (roll < 0.3) return query.slice(0, at)
  if (roll < 0.6) return query.slice(0, at) + query.slice(at + random.between(1, 5))
  return `${query.slice(0, at)}${pick(random, NAUGHTY).slice(0, 200)}${query.slice(at)}`
}
