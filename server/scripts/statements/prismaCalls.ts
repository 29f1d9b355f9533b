import type { Scope } from './scope.ts'
import { findDeclaration, isFunction, type Node, type Source, walk } from './source.ts'
import type { Table } from './tables.ts'

/** A call of Prisma's client, and whose rows it means, as far as the source says. */
export type PrismaCall = { readonly place: string; readonly text: string; readonly scope: Scope }

const READS_AND_CHANGES =
  /^(?:find(?:Unique|First)(?:OrThrow)?|findMany|update(?:Many)?|delete(?:Many)?|upsert|count|aggregate|groupBy)$/
const CREATES = /^create(?:Many)?(?:AndReturn)?$/
/** Conditions on other rows than those that are meant, or alternatives. */
const NO_CONDITION = /^(?:NOT|OR|not|none|notIn|every)$/

/** Calls such as `db.file.findMany({ where })` in these sources. */
export function readPrismaCalls(
  sources: ReadonlyMap<string, Source>,
  tables: ReadonlyMap<string, Table>,
): PrismaCall[] {
  const models = new Map([...tables.values()].map((table) => [table.client, table]))
  const calls: PrismaCall[] = []
  for (const source of sources.values()) {
    walk(source.program, (node) => {
      const found = calledModel(node, models)
      if (!found || found.table.kind === 'NONE') return
      const names = new Set(conditionsOf(node, found.method, { source, sources }))
      const line = source.code.slice(0, node.start).split('\n').length
      const text = `${found.table.client}.${found.method}`
      calls.push({ place: `${source.file}:${line}`, text, scope: scopeOf(found.table, names) })
    })
  }
  return calls
}

function calledModel(node: Node, models: ReadonlyMap<string, Table>): { table: Table; method: string } | null {
  const callee = node.type === 'CallExpression' ? (node.callee as Node) : null
  const model = callee?.type === 'MemberExpression' ? (callee.object as Node) : null
  const client = model?.type === 'MemberExpression' ? (model.object as Node) : null
  if (!callee || !model || !client) return null
  const method = nameOf(callee.property)
  if (!READS_AND_CHANGES.test(method) && !CREATES.test(method)) return null
  const held = client.type === 'MemberExpression' ? nameOf(client.property) : nameOf(client)
  const table = models.get(nameOf(model.property))
  return table && /^(?:db|tx|prisma)$/.test(held) ? { table, method } : null
}

type At = { readonly source: Source; readonly sources: ReadonlyMap<string, Source> }

function conditionsOf(call: Node, method: string, at: At): string[] {
  const [argument] = call.arguments as (Node | undefined)[]
  if (argument?.type !== 'ObjectExpression') return []
  const wanted = CREATES.test(method) ? 'data' : 'where'
  const property = (argument.properties as Node[]).find(({ key }) => nameOf(key) === wanted)
  return property ? keysOf(property.value as Node, at, 0) : []
}

/** Names of the columns that an object has conditions on, also in objects and functions that it is put together from. */
function keysOf(node: Node, at: At, depth: number): string[] {
  if (depth > 8) return []
  const inner = (child: unknown, from = at) => keysOf(child as Node, from, depth + 1)
  switch (node.type) {
    case 'ObjectExpression':
      return (node.properties as Node[]).flatMap((property) => {
        if (property.type === 'SpreadElement') return inner(property.argument)
        const name = nameOf(property.key)
        return NO_CONDITION.test(name) ? [] : [name, ...nestedKeys(property.value as Node, inner)]
      })
    case 'ConditionalExpression': {
      const others = inner(node.alternate)
      return inner(node.consequent).filter((name) => others.includes(name))
    }
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return inner(node.expression)
    case 'Identifier':
    case 'CallExpression': {
      const name = node.type === 'CallExpression' ? (node.callee as Node) : node
      if (name.type !== 'Identifier') return []
      const declared = findDeclaration(at.sources, at.source, String(name.name), name)
      if (!declared) return []
      const value = isFunction(declared.node) ? returnedBy(declared.node) : declared.node
      return value ? inner(value, { ...at, source: declared.source }) : []
    }
    default:
      return []
  }
}

/** `account: { userId }`: the row that it belongs to is a user's. */
function nestedKeys(value: Node, inner: (child: unknown) => string[]): string[] {
  return value.type === 'ObjectExpression' || value.type === 'CallExpression' ? inner(value) : []
}

function returnedBy(node: Node): Node | null {
  const body = node.body as Node
  if (body.type !== 'BlockStatement') return body
  const returns = (body.body as Node[]).filter(({ type }) => type === 'ReturnStatement')
  return returns.length === 1 ? (returns[0]?.argument as Node) : null
}

function nameOf(node: unknown): string {
  const { name, value } = (node ?? {}) as { name?: unknown; value?: unknown }
  return String(name ?? value ?? '')
}

function scopeOf(table: Table, names: ReadonlySet<string>): Scope {
  if (names.has('userId') || (table.kind === 'USERS' && names.has('id'))) return { by: 'USER', names: [] }
  const keys = [...names].flatMap((name) => name.split('_')).filter((name) => /(?:^id|Id|Key)$/.test(name))
  if (keys.length === 0) return { by: 'ALL', names: [table.name] }
  return { by: 'KEY', names: [...new Set(keys)].sort().map((key) => `${table.name}.${snake(key)}`) }
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
