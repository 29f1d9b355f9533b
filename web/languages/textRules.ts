import { NAMES_SHOWN_BY, NOT_TEXT_FILES, NOT_TEXTS, WORDS_IN_FILES } from './notTexts.ts'
import { childrenOf, listOf, type Node } from './tree.ts'

/**
 * Where an expression stands. `any`: what people read, `like`: whatever looks like it, `never`: names, addresses, styles.
 */
export type Context = {
  readonly mode: 'any' | 'like' | 'never'
  readonly isAttribute?: boolean
  readonly isNamed?: boolean
  readonly isKey?: boolean
}

/** Properties of elements and objects that people read or hear. */
const TEXT_NAMES = new Set(
  (
    'alt title label text hint description placeholder caption heading summary tooltip confirmLabel closeLabel reason ' +
    'question error note message empty aria-label aria-description aria-valuetext aria-roledescription aria-placeholder'
  ).split(' '),
)
/** Properties that never hold a text. */
const NAMELESS = new Set(
  (
    'id key className style type kind role value href to src target rel name form htmlFor tone size variant side align ' +
    'position placement anchor icon d data-testid autoComplete inputMode fetchPolicy code words glyph state accept ' +
    'capture lang dir sandbox allow method cache mode'
  ).split(' '),
)
/** Functions whose arguments are no texts. */
const NAMELESS_CALLS =
  /^(cx|report|warn|log|debug|info|querySelector|querySelectorAll|closest|matches|getElementById|addEventListener|removeEventListener|fetch|get|set|has|append|createElement|getItem|setItem|removeItem|startsWith|endsWith|includes|split|join|match|matchAll|test|exec|indexOf|lastIndexOf|setAttribute|removeAttribute|getAttribute|setProperty|dispatchEvent|postMessage|open|graphql|import|require|RegExp|Intl|URL|Set|Map|Event|CustomEvent|KeyboardEvent|Blob|File|BroadcastChannel|toLocaleString|toLocaleUpperCase|toLocaleLowerCase|localeCompare|createContext|buttonClass|loadQuery|register|define|mark|measure|registerOptions)$/

/** Methods of values that write them for people. */
export const LOCALE_CALLS = new Set(['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'])
const COMPARED = new Set(['===', '!==', '==', '!=', 'in', 'instanceof', '<', '>', '<=', '>='])
const NO_CODE = /^(?:Import|TS|ExportAll)/
const TS_VALUES = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'TSTypeAssertion'])
const FUNCTIONS = new Set(['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration'])

/** Files in which every string is a text. */
const ROOT_OF_FILE = /(?:^|\/)(?:messages|labels|policy)\.ts$/

export const rootContext = (file: string): Context => ({
  mode: NOT_TEXT_FILES.test(file) ? 'never' : ROOT_OF_FILE.test(file) ? 'any' : 'like',
})

/** The children of a node that are code, each with where it stands. */
export function contextOf(node: Node, context: Context, file: string): { child: Node; context: Context }[] {
  const root = rootContext(file)
  const never: Context = { mode: 'never' }
  const plain: Context = { mode: context.mode }
  const all = (inner: Context) => childrenOf(node).map((child) => ({ child, context: inner }))
  if (TS_VALUES.has(node.type)) return [{ child: node.expression as Node, context: plain }]
  if (NO_CODE.test(node.type) || node.type === 'TaggedTemplateExpression') return []
  if (FUNCTIONS.has(node.type)) return all(root)
  switch (node.type) {
    case 'JSXOpeningElement':
      return childrenOf(node).map((child) => ({ child, context: { ...root, isNamed: isNamed(node) } }))
    case 'JSXAttribute':
      return attribute(node, root, context)
    case 'JSXExpressionContainer':
      return all(plain)
    case 'JSXElement':
    case 'JSXFragment':
      return childrenOf(node).map((child) => ({
        child,
        context: child.type === 'JSXExpressionContainer' && root.mode !== 'never' ? { mode: 'any' } : root,
      }))
    case 'BinaryExpression':
      return all(COMPARED.has(node.operator as string) ? never : plain)
    case 'ConditionalExpression':
      return [
        { child: node.test as Node, context: never },
        { child: node.consequent as Node, context: plain },
        { child: node.alternate as Node, context: plain },
      ]
    case 'SwitchCase':
      return [
        ...(node.test ? [{ child: node.test as Node, context: never }] : []),
        ...listOf(node, 'consequent').map((child) => ({ child, context: root })),
      ]
    case 'Property':
    case 'PropertyDefinition':
      return property(node, plain, root)
    case 'MemberExpression':
      return [
        { child: node.object as Node, context: never },
        { child: node.property as Node, context: { mode: 'never', isKey: !node.computed } },
      ]
    case 'CallExpression':
    case 'NewExpression':
      return call(node, plain, root)
    default:
      return all(node.type.endsWith('Statement') || node.type.endsWith('Declaration') ? root : plain)
  }
}

/** Whether the element shows its `name`. */
const isNamed = (opening: Node) => NAMES_SHOWN_BY.has(String((opening.name as Node).name))

function attribute(node: Node, root: Context, context: Context): { child: Node; context: Context }[] {
  const value = node.value as Node | null
  if (!value) return []
  const name = nameOfAttribute(node.name as Node)
  const isText = (TEXT_NAMES.has(name) || (name === 'name' && context.isNamed === true)) && root.mode !== 'never'
  if (value.type === 'Literal')
    return [{ child: value, context: { mode: isText ? 'any' : 'never', isAttribute: true } }]
  if (value.type !== 'JSXExpressionContainer') return [{ child: value, context: root }]
  const expression = value.expression as Node
  const isNested = /^(?:Object|Array|JSX|Arrow|Function|Call)/.test(expression.type)
  const mode = isText ? 'any' : isNested && name !== 'style' && name !== 'className' ? root.mode : 'never'
  return [{ child: expression, context: { mode } }]
}

const nameOfAttribute = (name: Node): string =>
  name.type === 'JSXNamespacedName'
    ? `${(name.namespace as Node).name}:${(name.name as Node).name}`
    : (name.name as string)

function property(node: Node, plain: Context, root: Context): { child: Node; context: Context }[] {
  const key = node.key as Node
  const value = node.value as Node | null
  const keyContext: Context = { mode: 'never', isKey: !node.computed }
  const name = key.type === 'Identifier' ? (key.name as string) : String(key.value ?? '')
  const mode = modeOf(name, plain, root)
  return [
    ...(node.shorthand ? [] : [{ child: key, context: keyContext }]),
    ...(value ? [{ child: value, context: { mode } as Context }] : []),
  ]
}

function modeOf(name: string, plain: Context, root: Context): Context['mode'] {
  if (plain.mode === 'never') return 'never'
  if (NAMELESS.has(name) || /^(?:aria|data)-/.test(name))
    return TEXT_NAMES.has(name) ? 'any' : root.mode === 'any' ? 'like' : 'never'
  return TEXT_NAMES.has(name) ? 'any' : root.mode
}

function call(node: Node, plain: Context, root: Context): { child: Node; context: Context }[] {
  const callee = node.callee as Node
  const name = String((callee.type === 'MemberExpression' ? (callee.property as Node) : callee).name ?? '')
  const isIntl = callee.type === 'MemberExpression' && (callee.object as Node).name === 'Intl'
  const isNameless = isIntl || NAMELESS_CALLS.test(name)
  const mode = isNameless || plain.mode === 'never' ? 'never' : root.mode
  return [
    { child: callee, context: { mode: 'never' } },
    ...listOf(node, 'arguments').map((child) => ({ child, context: { mode } as Context })),
  ]
}

/** Whether a string in a place for texts is one: it has a word. */
export const isText = (value: string): boolean =>
  /\p{L}{2}/u.test(value) && !value.startsWith('var(--') && !NOT_TEXTS.has(value)

const CODE =
  /^(?:var|Content-Type|Authorization)\b|\{\}px |_px |\d(?:px|em|rem|fr|ms)\b|^\((?:max|min|prefers)-|^(?:application|image|text|video|audio)\/|^--|^curl |^[a-z]+:|^[\w-]+=|[{};<>]\s|\b(?:minmax|repeat|var|calc|translateY|translate|color-mix|rgba?|url)\(|^[.#[]|^https?:|^\/|=>/
const NAME = /^(?:[A-Z]?[a-z]+[A-Z]\w*|[a-z][\w-]*|[\w.-]+\/[\w.+-]+|[A-Z][\w]*-[\w-]+|[A-Z_0-9]+)$/

/** Whether a string anywhere in the code looks like a text: a capital letter and small ones, or several words. */
export function isLikeText(text: string, file: string): boolean {
  if (!isText(text) || NOT_TEXTS.has(text)) return false
  if (WORDS_IN_FILES[file]?.includes(text)) return true
  const value = text.replaceAll('{}', '_')
  if (CODE.test(value) || NAME.test(value.trim())) return false
  const words = value.match(/\p{L}[\p{L}’']+/gu) ?? []
  if (/^[\s\p{P}]*\p{Lu}\p{Ll}/u.test(value)) return true
  return /\s/.test(value) && words.length > 0
}
