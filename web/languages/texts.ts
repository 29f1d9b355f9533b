import { type Context, contextOf, isLikeText, isText, LOCALE_CALLS, rootContext } from './textRules.ts'
import { forEachNode, listOf, type Node, parsed } from './tree.ts'

type Edit = { readonly start: number; readonly end: number; readonly text: string }
/** What the parameters of an inlined function stand for. */
type Scope = ReadonlyMap<string, { readonly node: Node; readonly scope: Scope }>

type Slot = {
  readonly kind: 'slot'
  readonly name: string
  readonly code: () => string
  readonly isElement: boolean
  readonly isEmpty: boolean
}
type Tag = {
  readonly kind: 'tag'
  readonly open: () => string
  readonly close: string
  readonly parts: readonly Part[]
}
type Choice = {
  readonly kind: 'choice'
  readonly test: () => string
  readonly yes: readonly Part[]
  readonly no: readonly Part[]
}
type Part = string | Slot | Tag | Choice

/** A function of one expression that puts a sentence together from words that it is given. */
type Helper = {
  readonly parameters: readonly Node[]
  readonly body: Node
  readonly code: string
  /** Whether it uses nothing but its parameters, so that it can stand in another module. */
  readonly isClosed: boolean
}

export type Options = {
  /** The text in the other language; placeholders as in `text`. */
  readonly translate: (text: string, file: string) => string
  /** A BCP 47 tag for Intl. */
  readonly locale: string
  /** The source of a module that the file imports, for the functions that it shares; null when there is none. */
  readonly readModule: (specifier: string) => string | null
}

const NO_SCOPE: Scope = new Map()
const MOST_VARIANTS = 64

/**
 * A source of the web client in another language: its texts are replaced, numbers and dates are formatted for `locale`.
 * A sentence that the source puts together from several pieces is one text with placeholders, once for each form that
 * its conditions give it, so that a translation can order its parts freely.
 * @throws Error when the source cannot be parsed
 */
export function translateSource(code: string, file: string, options: Options): string {
  const root = parsed(file, code)
  const translated = new Translation(code, file, options, helpersIn(root, code)).source(
    root,
    NO_SCOPE,
    rootContext(file),
  )
  return code.slice(0, root.start) + translated + code.slice(root.end)
}

class Translation {
  readonly #imported = new Map<string, Helper | null>()

  constructor(
    private readonly code: string,
    private readonly file: string,
    private readonly options: Options,
    private readonly helpers: ReadonlyMap<string, Helper>,
    private readonly imports: ReadonlyMap<string, string> = importsIn(code, file),
  ) {}

  /** The code of `node` with all its texts replaced. */
  source(node: Node, scope: Scope, context: Context): string {
    const edits: Edit[] = []
    this.#visit(node, scope, context, edits)
    return spliced(this.#codeOf(node), node.start, node.end, edits)
  }

  readonly #foreign = new Map<Node, string>()
  #codeOf(node: Node): string {
    return this.#foreign.get(node) ?? this.code
  }

  #visit(node: Node, scope: Scope, context: Context, edits: Edit[]): void {
    const replacement = this.#replacementOf(node, scope, context)
    if (replacement !== null) return void edits.push({ start: node.start, end: node.end, text: replacement })
    this.#formatForLocale(node, scope, context, edits)
    for (const { child, context: inner } of contextOf(node, context, this.file)) this.#visit(child, scope, inner, edits)
  }

  /** The code that stands for the whole node; null when only parts of it change. */
  #replacementOf(node: Node, scope: Scope, context: Context): string | null {
    if (node.type === 'Identifier' && !context.isKey) {
      const bound = scope.get(node.name as string)
      if (!bound) return null
      const code = this.source(bound.node, bound.scope, context)
      return bound.node.type === 'Identifier' ? code : `(${code})`
    }
    if (node.type === 'JSXElement' || node.type === 'JSXFragment') return this.#element(node, scope, context)
    if (!isMessage(node, context, this.file, (call) => this.#isInlined(call, scope))) return null
    const parts = this.#partsOf(node, scope)
    if (!hasText(parts)) return null
    const text = this.#expression(parts)
    return context.isAttribute ? `{${text}}` : text
  }

  #isInlined(node: Node, scope: Scope): boolean {
    return (
      this.#helperOf(node) !== null && listOf(node, 'arguments').some((argument) => this.#isTextual(argument, scope))
    )
  }

  #helperOf(call: Node): Helper | null {
    if (call.type !== 'CallExpression') return null
    const callee = call.callee as Node
    if (callee.type !== 'Identifier') return null
    const name = callee.name as string
    const own = this.helpers.get(name)
    if (own) return own
    const known = this.#imported.get(name)
    if (known !== undefined) return known
    const specifier = this.imports.get(name)
    const code = specifier ? this.options.readModule(specifier) : null
    const found = code === null || !specifier ? undefined : helpersIn(parsed(specifier, code), code).get(name)
    const helper = found?.isClosed ? found : null
    this.#imported.set(name, helper)
    return helper
  }

  #isTextual(node: Node, scope: Scope): boolean {
    if (node.type === 'Literal') return typeof node.value === 'string'
    if (node.type === 'TemplateLiteral') return true
    if (node.type === 'ConditionalExpression') {
      return this.#isTextual(node.consequent as Node, scope) || this.#isTextual(node.alternate as Node, scope)
    }
    if (node.type === 'Identifier') {
      const bound = scope.get(node.name as string)
      return bound !== undefined && this.#isTextual(bound.node, bound.scope)
    }
    return this.#isInlined(node, scope)
  }

  #partsOf(node: Node, scope: Scope): Part[] {
    if (node.type === 'Literal' && typeof node.value === 'string') return [node.value]
    if (node.type === 'TemplateLiteral') return this.#partsOfTemplate(node, scope)
    if (node.type === 'ConditionalExpression' && this.#isTextual(node, scope)) return [this.#choice(node, scope)]
    if (node.type === 'ParenthesizedExpression') return this.#partsOf(node.expression as Node, scope)
    if (node.type === 'Identifier') {
      const bound = scope.get(node.name as string)
      if (bound) return this.#partsOf(bound.node, bound.scope)
    }
    if (this.#isInlined(node, scope)) return this.#partsOfCall(node, scope)
    return [this.#slot(node, scope)]
  }

  #partsOfTemplate(node: Node, scope: Scope): Part[] {
    const quasis = listOf(node, 'quasis')
    const expressions = listOf(node, 'expressions')
    return quasis.flatMap((quasi, index) => {
      const { cooked } = quasi.value as { cooked: string }
      const expression = expressions[index]
      return [cooked, ...(expression ? this.#partsOf(expression, scope) : [])]
    })
  }

  #choice(node: Node, scope: Scope): Choice {
    return {
      kind: 'choice',
      test: () => this.source(node.test as Node, scope, { ...rootContext(this.file), mode: 'never' }),
      yes: this.#partsOf(node.consequent as Node, scope),
      no: this.#partsOf(node.alternate as Node, scope),
    }
  }

  #partsOfCall(node: Node, scope: Scope): Part[] {
    const helper = this.#helperOf(node)
    if (!helper) return [this.#slot(node, scope)]
    const given = listOf(node, 'arguments')
    const inner = new Map<string, { node: Node; scope: Scope }>()
    for (const [index, parameter] of helper.parameters.entries()) {
      const isDefaulted = parameter.type === 'AssignmentPattern'
      const name = (isDefaulted ? (parameter.left as Node) : parameter).name as string
      const argument = given[index]
      if (argument) inner.set(name, { node: argument, scope })
      else if (isDefaulted) inner.set(name, { node: this.#fromHelper(parameter.right as Node, helper), scope: inner })
    }
    return this.#partsOf(this.#fromHelper(helper.body, helper), inner)
  }

  /** Remembers that the nodes of a function of another module are parts of that module's code. */
  #fromHelper(node: Node, helper: Helper): Node {
    if (helper.code !== this.code) forEachNode(node, (each) => this.#foreign.set(each, helper.code))
    return node
  }

  #slot(node: Node, scope: Scope): Slot {
    return {
      kind: 'slot',
      name: nameOf(node, scope),
      code: () => this.source(node, scope, { ...rootContext(this.file), mode: 'any' }),
      isElement: false,
      isEmpty: false,
    }
  }

  /** A text as an expression: a string, a template, or a choice between some. */
  #expression(parts: readonly Part[]): string {
    const emit = (flat: readonly Part[]): string => {
      const { text, slots } = this.#message(flat)
      if (!/\p{L}/u.test(text.replace(/\{\w+\}/g, ''))) return template(text, slots)
      return template(this.options.translate(text, this.file), slots)
    }
    return this.#variants(parts, emit, (test, yes, no) => `(${test} ? ${yes} : ${no})`)
  }

  /** Resolves the choices one after another; a condition that comes twice is asked once. */
  #variants(
    parts: readonly Part[],
    emit: (flat: readonly Part[]) => string,
    choose: (test: string, yes: string, no: string) => string,
  ): string {
    let variants = 0
    const resolve = (rest: readonly Part[]): string => {
      const choice = firstChoice(rest)
      if (!choice) {
        variants += 1
        if (variants > MOST_VARIANTS) throw new Error(`${this.file}: one text has more than ${MOST_VARIANTS} forms`)
        return emit(merged(rest))
      }
      const test = choice.test()
      return choose(test, resolve(resolved(rest, test, true)), resolve(resolved(rest, test, false)))
    }
    return resolve(parts)
  }

  /** The text with placeholders, and what each stands for. */
  #message(parts: readonly Part[]): { text: string; slots: Map<string, Slot>; tags: Map<string, Tag> } {
    const slots = new Map<string, Slot>()
    const tags = new Map<string, Tag>()
    const write = (part: Part): string => {
      if (typeof part === 'string') return part
      if (part.kind === 'choice') throw new Error('A choice is resolved before')
      if (part.kind === 'slot') {
        let name = part.name
        for (let number = 2; slots.has(name); number += 1) name = `${part.name}${number}`
        slots.set(name, part)
        return `{${name}}`
      }
      const name = String(tags.size)
      tags.set(name, part)
      return `<${name}>${part.parts.map(write).join('')}</${name}>`
    }
    return { text: parts.map(write).join(''), slots, tags }
  }

  /** An element whose children are a sentence; null when they are not. */
  #element(node: Node, scope: Scope, context: Context): string | null {
    const children = listOf(node, 'children')
    if (children.length === 0) return null
    const parts = this.#trimmed(this.#partsOfChildren(children, scope))
    const { before, inner, after } = parts
    const isSentence = inner.some((part) => typeof part === 'string' && /\p{L}/u.test(part)) || hasMixedText(inner)
    if (!isSentence) return null
    const opening = (node.openingElement ?? node.openingFragment) as Node
    const closing = (node.closingElement ?? node.closingFragment) as Node
    const emit = (flat: readonly Part[]): string => this.#children(flat)
    const body = this.#variants(inner, emit, (test, yes, no) => `{${test} ? <>${yes}</> : <>${no}</>}`)
    const frame = (part: Part) =>
      typeof part === 'string' ? jsxString(part) : part.kind === 'slot' ? slotChild(part) : ''
    return [
      this.source(opening, scope, context),
      ...before.map(frame),
      body,
      ...after.map(frame),
      this.#codeOf(closing).slice(closing.start, closing.end),
    ].join('')
  }

  #children(parts: readonly Part[]): string {
    const { text, slots, tags } = this.#message(parts)
    const bare = text.trim()
    const isReadable = /\p{L}/u.test(bare.replace(/\{\w+\}|<\/?\d+>/g, ''))
    const translated = isReadable ? text.replace(bare, () => this.options.translate(bare, this.file)) : text
    return translated
      .split(/(\{\w+\}|<\/?\d+>)/)
      .map((piece) => {
        const slot = slots.get(/^\{(\w+)\}$/.exec(piece)?.[1] ?? '')
        if (slot) return slotChild(slot)
        const [, slash, tagName = ''] = /^<(\/?)(\d+)>$/.exec(piece) ?? []
        const tag = tags.get(tagName)
        if (tag) return slash ? tag.close : tag.open()
        return jsxString(piece)
      })
      .join('')
  }

  #partsOfChildren(children: readonly Node[], scope: Scope): Part[] {
    return children.flatMap((child): Part[] => {
      if (child.type === 'JSXText') return [jsxText(child.value as string)]
      if (child.type === 'JSXExpressionContainer') {
        const expression = child.expression as Node
        if (expression.type === 'JSXEmptyExpression') return []
        if (expression.type === 'LogicalExpression' && expression.operator === '&&') {
          const right = expression.right as Node
          if (this.#isTextual(right, scope)) {
            const test = () => this.source(expression.left as Node, scope, { ...rootContext(this.file), mode: 'never' })
            return [{ kind: 'choice', test, yes: this.#partsOf(right, scope), no: [] }]
          }
        }
        return this.#partsOf(expression, scope)
      }
      if (child.type === 'JSXElement') return [this.#tag(child, scope)]
      return [this.#opaque(child, scope)]
    })
  }

  #tag(element: Node, scope: Scope): Part {
    const parts = this.#partsOfChildren(listOf(element, 'children'), scope)
    if (!hasLetters(parts)) return this.#opaque(element, scope)
    const opening = element.openingElement as Node
    const closing = element.closingElement as Node
    return {
      kind: 'tag',
      open: () => this.source(opening, scope, rootContext(this.file)),
      close: this.#codeOf(closing).slice(closing.start, closing.end),
      parts,
    }
  }

  #opaque(element: Node, scope: Scope): Slot {
    const name = nameOfElement(element, scope)
    // An icon is no part of a sentence; a name in bold is.
    const isEmpty = listOf(element, 'children').length === 0
    return {
      kind: 'slot',
      name,
      code: () => this.source(element, scope, rootContext(this.file)),
      isElement: true,
      isEmpty,
    }
  }

  /** Icons and the like before and after a sentence are no parts of it. */
  #trimmed(parts: readonly Part[]): { before: Part[]; inner: Part[]; after: Part[] } {
    const isOutside = (part: Part | undefined) =>
      part !== undefined && (typeof part === 'string' ? part.trim() === '' : part.kind === 'slot' && part.isEmpty)
    const inner = merged(parts)
    const before: Part[] = []
    const after: Part[] = []
    while (isOutside(inner[0])) before.push(inner.shift() as Part)
    while (isOutside(inner.at(-1))) after.unshift(inner.pop() as Part)
    return { before, inner, after }
  }

  #formatForLocale(node: Node, scope: Scope, context: Context, edits: Edit[]): void {
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return
    const callee = node.callee as Node
    if (callee.type !== 'MemberExpression') return
    const property = (callee.property as Node).name as string
    const object = callee.object as Node
    const isIntl = object.type === 'Identifier' && object.name === 'Intl'
    if (!isIntl && !LOCALE_CALLS.has(property)) return
    const locale = JSON.stringify(this.options.locale)
    const [first] = listOf(node, 'arguments')
    if (!first) return void edits.push({ start: node.end - 1, end: node.end, text: `${locale})` })
    const isFixed = first.type === 'Literal' || (first.type === 'Identifier' && first.name === 'undefined')
    const text = isFixed ? locale : `(${this.source(first, scope, { ...context, mode: 'never' })} ?? ${locale})`
    edits.push({ start: first.start, end: first.end, text })
  }
}

function isMessage(node: Node, context: Context, file: string, isInlined: (node: Node) => boolean): boolean {
  if (context.mode === 'never') return false
  if (node.type === 'Literal') {
    const value = node.value
    if (typeof value !== 'string') return false
    return context.mode === 'any' ? isText(value) : isLikeText(value, file)
  }
  if (node.type === 'TemplateLiteral') {
    const expressions = listOf(node, 'expressions')
    const isStyle = expressions.some(
      (each) => each.type === 'MemberExpression' && /styles$/i.test(((each.object as Node).name as string) ?? ''),
    )
    if (isStyle) return false
    const words = listOf(node, 'quasis').map((quasi) => (quasi.value as { cooked: string }).cooked)
    if (context.mode === 'any') return true
    const inner = expressions.map((each) =>
      each.type === 'ConditionalExpression' && (each.consequent as Node).type === 'Literal'
        ? String((each.consequent as Node).value)
        : '{}',
    )
    return isLikeText(words.map((word, index) => word + (inner[index] ?? '')).join(''), file)
  }
  return isInlined(node)
}

const hasText = (parts: readonly Part[]): boolean =>
  parts.some((part) => {
    if (typeof part === 'string') return isText(part)
    if (part.kind === 'choice') return hasText(part.yes) || hasText(part.no)
    return part.kind === 'tag' && hasText(part.parts)
  })

const hasLetters = (parts: readonly Part[]): boolean =>
  parts.some((part) => {
    if (typeof part === 'string') return /\p{L}/u.test(part)
    if (part.kind === 'choice') return hasLetters(part.yes) || hasLetters(part.no)
    return part.kind === 'tag' && hasLetters(part.parts)
  })

/** A text that depends on a condition, and something else next to it: one sentence. */
const hasMixedText = (parts: readonly Part[]): boolean =>
  parts.filter((part) => typeof part !== 'string' || part.trim() !== '').length > 1 &&
  parts.some((part) => typeof part !== 'string' && part.kind === 'choice' && hasLetters([part]))

function firstChoice(parts: readonly Part[]): Choice | null {
  for (const part of parts) {
    if (typeof part === 'string' || part.kind === 'slot') continue
    const found = part.kind === 'choice' ? part : firstChoice(part.parts)
    if (found) return found
  }
  return null
}

function resolved(parts: readonly Part[], test: string, isTrue: boolean): Part[] {
  return parts.flatMap((part): Part[] => {
    if (typeof part === 'string' || part.kind === 'slot') return [part]
    if (part.kind === 'tag') return [{ ...part, parts: resolved(part.parts, test, isTrue) }]
    if (part.test() !== test)
      return [{ ...part, yes: resolved(part.yes, test, isTrue), no: resolved(part.no, test, isTrue) }]
    return resolved(isTrue ? part.yes : part.no, test, isTrue)
  })
}

function merged(parts: readonly Part[]): Part[] {
  const all: Part[] = []
  for (const part of parts) {
    const last = all.at(-1)
    if (typeof part === 'string' && typeof last === 'string') all[all.length - 1] = last + part
    else if (part !== '') all.push(part)
  }
  return all
}

function template(text: string, slots: ReadonlyMap<string, Slot>): string {
  const pieces = text.split(/\{(\w+)\}/)
  const isPlain = pieces.every((piece, index) => index % 2 === 0 || !slots.has(piece))
  if (isPlain) return JSON.stringify(text)
  const escaped = (piece: string) => piece.replace(/[\\`]|\$\{/g, '\\$&')
  const written = pieces.map((piece, index) => {
    if (index % 2 === 0) return escaped(piece)
    const slot = slots.get(piece)
    return slot ? `\${${slot.code()}}` : escaped(`{${piece}}`)
  })
  return `\`${written.join('')}\``
}

const jsxString = (text: string) => (text === '' ? '' : `{${JSON.stringify(text)}}`)
const slotChild = (slot: Slot) => (slot.isElement ? slot.code() : `{${slot.code()}}`)

/** As JSX reads a text between tags. */
function jsxText(value: string): string {
  const lines = value.split('\n')
  return lines
    .map((line, index) => {
      const start = index === 0 ? line : line.trimStart()
      return index === lines.length - 1 ? start : start.trimEnd()
    })
    .filter((line) => line !== '')
    .join(' ')
}

/** What a placeholder is called: after the value that it shows. */
function nameOf(node: Node, scope: Scope): string {
  if (node.type === 'Identifier') {
    const name = node.name as string
    const bound = scope.get(name)
    return bound && bound.node.type !== 'Literal' ? nameOf(bound.node, bound.scope) : name
  }
  if (node.type === 'MemberExpression') {
    const property = node.property as Node
    if (node.computed) return nameOf(node.object as Node, scope)
    return property.name as string
  }
  if (node.type === 'CallExpression') {
    const callee = node.callee as Node
    const [first] = listOf(node, 'arguments')
    if (callee.type === 'MemberExpression' && (callee.object as Node).type !== 'Identifier') {
      return nameOf(callee.object as Node, scope)
    }
    const property = callee.type === 'MemberExpression' ? ((callee.property as Node).name as string) : null
    if (property !== null && (LOCALE_CALLS.has(property) || ['join', 'replace', 'toFixed'].includes(property))) {
      return nameOf(callee.object as Node, scope)
    }
    if (first && /^(Identifier|MemberExpression|CallExpression)$/.test(first.type)) return nameOf(first, scope)
    return nameOf(callee, scope)
  }
  for (const key of ['expression', 'left', 'argument', 'consequent', 'test']) {
    const inner = node[key] as Node | undefined
    if (inner && typeof inner === 'object' && 'type' in inner) return nameOf(inner, scope)
  }
  return 'value'
}

function nameOfElement(element: Node, scope: Scope): string {
  const shown = listOf(element, 'children').find((child) => child.type === 'JSXExpressionContainer')
  if (shown) return nameOf(shown.expression as Node, scope)
  const opening = element.openingElement as Node | undefined
  const name = (opening?.name as Node | undefined)?.name
  return typeof name === 'string' ? name.toLowerCase() : 'element'
}

function importsIn(code: string, file: string): Map<string, string> {
  const imports = new Map<string, string>()
  for (const statement of listOf(parsed(file, code), 'body')) {
    if (statement.type !== 'ImportDeclaration') continue
    const specifier = (statement.source as Node).value as string
    if (!specifier.startsWith('.')) continue
    for (const each of listOf(statement, 'specifiers')) {
      imports.set((each.local as Node).name as string, specifier)
    }
  }
  return imports
}

/** The functions of a module that are one expression of their parameters. */
function helpersIn(program: Node, code: string): Map<string, Helper> {
  const helpers = new Map<string, Helper>()
  for (const statement of listOf(program, 'body')) {
    const declared =
      (statement.type.startsWith('Export') ? (statement.declaration as Node | null) : statement) ?? statement
    if (declared.type === 'FunctionDeclaration') {
      const body = listOf(declared.body as Node, 'body')
      const [only] = body
      if (body.length !== 1 || only?.type !== 'ReturnStatement' || !only.argument) continue
      add(declared.id as Node, declared, only.argument as Node)
    }
    if (declared.type !== 'VariableDeclaration') continue
    for (const { id, init } of listOf(declared, 'declarations') as unknown as { id: Node; init: Node | null }[]) {
      if (init?.type === 'ArrowFunctionExpression' && init.expression) add(id, init, init.body as Node)
    }
  }
  return helpers

  function add(id: Node, fn: Node, body: Node): void {
    const parameters = listOf(fn, 'params')
    const names = parameters.map((each) => (each.type === 'AssignmentPattern' ? (each.left as Node) : each).name)
    if (names.some((name) => typeof name !== 'string')) return
    if (body.type === 'ParenthesizedExpression') {
      add(id, fn, body.expression as Node)
      return
    }
    if (body.type !== 'TemplateLiteral' && body.type !== 'ConditionalExpression') return
    let isClosed = true
    forEachNode(body, (node, parent) => {
      if (node.type !== 'Identifier' || parent?.type === 'MemberExpression') return
      if (!names.includes(node.name as string)) isClosed = false
    })
    helpers.set(id.name as string, { parameters, body, code, isClosed })
  }
}

function spliced(code: string, start: number, end: number, edits: readonly Edit[]): string {
  let at = start
  let text = ''
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    text += code.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return text + code.slice(at, end)
}
