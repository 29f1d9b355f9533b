import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'
import { parseSync } from 'vite'

/** A node of the syntax tree, as far as it is read here (ESTree; TypeScript's own nodes begin with TS). */
export type Node = { readonly type: string; readonly start: number; readonly [key: string]: unknown }

/** A parsed source file. `parents` leads from each node to the one that contains it. */
export type Source = {
  readonly file: string
  readonly code: string
  readonly program: Node
  readonly parents: ReadonlyMap<Node, Node>
}

const GENERATED = /^server\/db\/generated\//

/** Every TypeScript file below `folder`, by its path from `root`. @throws Error for one that cannot be parsed */
export function readSources(root: string, folder: string): Map<string, Source> {
  const sources = new Map<string, Source>()
  if (!existsSync(join(root, folder))) return sources
  for (const path of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
    const file = `${folder}/${path.split(sep).join('/')}`
    if (!file.endsWith('.ts') || file.endsWith('.d.ts') || GENERATED.test(file)) continue
    sources.set(file, parse(file, readFileSync(join(root, file), 'utf8')))
  }
  return sources
}

function parse(file: string, code: string): Source {
  const { program, errors } = parseSync(file, code)
  if (errors[0]) throw new Error(`${file} cannot be parsed: ${errors[0].message}`)
  const parents = new Map<Node, Node>()
  const root = program as unknown as Node
  walk(root, (node, parent) => {
    if (parent) parents.set(node, parent)
  })
  return { file, code, program: root, parents }
}

/** Calls `visit` for every node, parents first. */
export function walk(node: Node, visit: (node: Node, parent: Node | null) => void, parent: Node | null = null): void {
  visit(node, parent)
  for (const child of childrenOf(node)) walk(child, visit, node)
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

/** Where a name was declared: a constant's value or a function, and the file it is in; null for a parameter, a variable, a package. */
export type Declared = { readonly source: Source; readonly node: Node } | null

/** What `name` means at `at`: the nearest declaration around it, or what the file imports. */
export function findDeclaration(
  sources: ReadonlyMap<string, Source>,
  source: Source,
  name: string,
  at: Node,
): Declared {
  for (let node: Node | undefined = at; node; node = source.parents.get(node)) {
    if (isFunction(node) && bindsParameter(node, name)) return null
    const statements = [node.body, node.consequent].find(Array.isArray) as Node[] | undefined
    for (const statement of statements ?? []) {
      const found = declaredBy(statement, name)
      if (found !== undefined) return found && { source, node: found }
    }
  }
  return findImported(sources, source, name)
}

export function isFunction(node: Node): boolean {
  return /^(?:Arrow)?Function(?:Expression|Declaration)$/.test(node.type)
}

function bindsParameter(node: Node, name: string): boolean {
  let binds = false
  for (const parameter of node.params as Node[])
    walk(parameter, (inner) => {
      if (inner.type === 'Identifier' && inner.name === name) binds = true
    })
  return binds
}

/** The value of a constant or the function; null when the name is declared without a value that stays; undefined when it is not. */
function declaredBy(statement: Node, name: string): Node | null | undefined {
  const declaration = (statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement) as Node | null
  if (declaration?.type === 'FunctionDeclaration')
    return (declaration.id as Node).name === name ? declaration : undefined
  if (declaration?.type !== 'VariableDeclaration') return undefined
  for (const { id, init } of declaration.declarations as { id: Node; init: Node | null }[]) {
    if (id.type === 'Identifier' && id.name === name) return declaration.kind === 'const' ? init : null
  }
  return undefined
}

function findImported(sources: ReadonlyMap<string, Source>, source: Source, name: string): Declared {
  for (const statement of source.program.body as Node[]) {
    if (statement.type !== 'ImportDeclaration') continue
    const specifier = (statement.specifiers as Node[]).find(({ local }) => (local as Node).name === name)
    if (!specifier) continue
    const target = String((statement.source as Node).value)
    const from = sources.get(
      normalize(join(dirname(source.file), target))
        .split(sep)
        .join('/'),
    )
    const exported = specifier.imported as Node | undefined
    return from && exported ? findExported(from, String(exported.name)) : null
  }
  return null
}

function findExported(source: Source, name: string): Declared {
  for (const statement of source.program.body as Node[]) {
    const found = declaredBy(statement, name)
    if (found) return { source, node: found }
  }
  return null
}
