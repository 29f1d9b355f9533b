import { type Declared, findDeclaration, isFunction, type Node, type Source } from './source.ts'

/** What the parameters of an inlined function are, by name. */
type Bindings = ReadonlyMap<string, readonly string[]>

export type Evaluator = {
  /** All texts that an expression can be, or null when that is only known at run time. */
  textsOf(source: Source, node: Node): readonly string[] | null
  /** Nodes that are part of a text which was evaluated: fragments of larger statements. */
  readonly parts: ReadonlySet<Node>
}

/** A statement with more alternatives than this is too large to be read as constant. */
const MOST_TEXTS = 64

/**
 * Reads constant text expressions: literals, templates, `+`, both sides of a condition, constants of this and other files, members of
 * constant objects, calls of functions that return such an expression, `replace` and `replaceAll`, and Prisma's tagged templates.
 */
export function createEvaluator(sources: ReadonlyMap<string, Source>): Evaluator {
  const parts = new Set<Node>()
  let read: Node[] = []

  function textsOf(source: Source, node: Node): Texts {
    read = []
    const texts = evaluate(source, node, new Map(), 0)
    if (texts) for (const part of read) parts.add(part)
    return texts
  }

  function evaluate(source: Source, node: Node, bound: Bindings, depth: number): readonly string[] | null {
    if (depth > 40) return null
    const inner = (child: unknown) => {
      const texts = evaluate(source, child as Node, bound, depth + 1)
      read.push(child as Node)
      return texts
    }
    switch (node.type) {
      case 'Literal':
        return typeof node.value === 'string' || typeof node.value === 'number' ? [String(node.value)] : null
      case 'TemplateLiteral':
        return product(templateParts(node, inner))
      case 'TaggedTemplateExpression':
        return product(taggedParts(node))
      case 'BinaryExpression':
        return calculate(node.operator, inner(node.left), inner(node.right))
      case 'ConditionalExpression':
        return union([inner(node.consequent), inner(node.alternate)])
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
      case 'ParenthesizedExpression':
        return inner(node.expression)
      case 'Identifier':
        return (
          bound.get(String(node.name)) ??
          evaluateDeclared(findDeclaration(sources, source, String(node.name), node), depth)
        )
      case 'MemberExpression':
        return evaluateMember(source, node, depth)
      case 'CallExpression':
        return evaluateCall(source, node, inner, depth)
      default:
        return null
    }
  }

  function evaluateDeclared(declared: Declared, depth: number): readonly string[] | null {
    if (!declared || isFunction(declared.node)) return null
    const texts = evaluate(declared.source, declared.node, new Map(), depth + 1)
    read.push(declared.node)
    return texts
  }

  /** `TEXTS.open`, or every value of `TEXTS` when the key is only known at run time. */
  function evaluateMember(source: Source, node: Node, depth: number): readonly string[] | null {
    const object = node.object as Node
    if (object.type !== 'Identifier') return null
    const declared = findDeclaration(sources, source, String(object.name), object)
    const value = declared && unwrap(declared.node)
    if (!declared || value?.type !== 'ObjectExpression') return null
    const properties = value.properties as { key?: Node; value?: Node }[]
    const wanted = node.computed ? null : String((node.property as Node).name)
    const chosen = properties.filter(({ key }) => wanted === null || key?.name === wanted || key?.value === wanted)
    return chosen.length === 0
      ? null
      : union(
          chosen.map((property) =>
            property.value ? evaluateDeclared({ ...declared, node: property.value }, depth) : null,
          ),
        )
  }

  function evaluateCall(source: Source, node: Node, inner: Inner, depth: number): readonly string[] | null {
    const callee = node.callee as Node
    const given = node.arguments as Node[]
    if (callee.type === 'MemberExpression') {
      const method = String((callee.property as Node).name)
      const [search = null, replacement = null] = given.map((argument) => onlyOne(inner(argument)))
      const texts = method === 'replace' || method === 'replaceAll' ? inner(callee.object) : null
      if (!texts || search === null || replacement === null) return null
      return texts.map((text) =>
        method === 'replace' ? text.replace(search, replacement) : text.replaceAll(search, replacement),
      )
    }
    if (callee.type !== 'Identifier') return null
    const declared = findDeclaration(sources, source, String(callee.name), callee)
    if (!declared || !isFunction(declared.node)) return null
    const result = resultOf(declared.node)
    const bound = new Map<string, readonly string[]>()
    for (const [index, parameter] of (declared.node.params as Node[]).entries()) {
      const [name, standard] =
        parameter.type === 'AssignmentPattern' ? [parameter.left, parameter.right] : [parameter, null]
      const texts = inner(given[index] ?? standard ?? parameter)
      if (texts && (name as Node).type === 'Identifier') bound.set(String((name as Node).name), texts)
    }
    const texts = result && evaluate(declared.source, result, bound, depth + 1)
    if (result) read.push(result)
    return texts || null
  }

  return { parts, textsOf }
}

type Inner = (child: unknown) => readonly string[] | null
type Texts = readonly string[] | null

function templateParts(node: Node, inner: Inner): Texts[] {
  const expressions = node.expressions as Node[]
  return quasisOf(node).flatMap((text, index): Texts[] => {
    const expression = expressions[index]
    return expression ? [[text], inner(expression)] : [[text]]
  })
}

/** Prisma's `$queryRaw` and `$executeRaw`: each value becomes a parameter. */
function taggedParts(node: Node): Texts[] {
  const tag = node.tag as Node
  const name = tag.type === 'MemberExpression' ? String((tag.property as Node).name) : ''
  if (!/^\$(?:query|execute)Raw$/.test(name)) return [null]
  return quasisOf(node.quasi as Node).map((text, index) => [index === 0 ? text : `$${index}${text}`])
}

function quasisOf(node: Node): string[] {
  return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked)
}

/** What a function that only returns an expression returns. */
function resultOf(node: Node): Node | null {
  const body = node.body as Node
  if (body.type !== 'BlockStatement') return body
  const [only, ...others] = body.body as Node[]
  return only?.type === 'ReturnStatement' && others.length === 0 ? (only.argument as Node) : null
}

function unwrap(node: Node): Node {
  return node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression'
    ? unwrap(node.expression as Node)
    : node
}

function product(parts: readonly Texts[]): Texts {
  let texts: readonly string[] = ['']
  for (const part of parts) {
    if (part === null) return null
    texts = texts.flatMap((text) => part.map((next) => text + next))
    if (texts.length > MOST_TEXTS) return null
  }
  return texts
}

function union(parts: readonly Texts[]): Texts {
  return parts.some((part) => part === null) ? null : [...new Set(parts.flatMap((part) => part ?? []))]
}

function calculate(operator: unknown, left: Texts, right: Texts): Texts {
  if (operator === '+') return product([left, right])
  const factors = [onlyOne(left), onlyOne(right)].map((text) => (text === null ? Number.NaN : Number(text)))
  const result = operator === '*' ? factors.reduce((one, other) => one * other) : Number.NaN
  return Number.isNaN(result) ? null : [String(result)]
}

function onlyOne(texts: Texts): string | null {
  return texts?.length === 1 ? (texts[0] ?? null) : null
}
