/**
 * A part of a SQL text. `word`: a keyword or a name without quotes, in lower case. `name`: a name in quotes, without them. `value`: a
 * text or a number. `parameter`: `$1`.
 */
export type Token = {
  readonly kind: 'word' | 'name' | 'value' | 'parameter' | 'symbol' | 'comment'
  readonly text: string
  /** Its place in the SQL. */
  readonly start: number
}

const FORMS: readonly [Token['kind'] | null, RegExp][] = [
  [null, /\s+/y],
  ['comment', /--[^\n]*/y],
  ['comment', /\/\*[\s\S]*?\*\//y],
  ['value', /[eE]'(?:[^'\\]|\\[\s\S]|'')*'/y],
  ['value', /'(?:[^']|'')*'/y],
  ['value', /\$([A-Za-z_]\w*)?\$[\s\S]*?\$\1\$/y],
  ['parameter', /\$\d+/y],
  ['name', /"(?:[^"]|"")*"/y],
  ['word', /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y],
  ['value', /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y],
  ['symbol', /::|[()[\],;.:]/y],
  ['symbol', /(?:(?!--|\/\*)[-+*/<>=~!@#%^&|`?])+/y],
]

/** Splits SQL into its parts, without white space. @throws Error for what is no SQL, such as a quote that is not closed */
export function tokenize(sql: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < sql.length; ) {
    const found = match(sql, at)
    if (!found) throw new Error(`This is no SQL: ${sql.slice(at, at + 40)}`)
    const [kind, text] = found
    if (kind) tokens.push({ kind, text: plain(kind, text), start: at })
    at += text.length
  }
  return tokens
}

function match(sql: string, at: number): [Token['kind'] | null, string] | null {
  for (const [kind, form] of FORMS) {
    form.lastIndex = at
    const text = form.exec(sql)?.[0]
    if (text) return [kind, text]
  }
  return null
}

function plain(kind: Token['kind'], text: string): string {
  if (kind === 'word') return text.toLowerCase()
  return kind === 'name' ? text.slice(1, -1).replaceAll('""', '"') : text
}

/** The tokens between commas that are in no parentheses. */
export function splitAtCommas(tokens: readonly Token[]): Token[][] {
  return splitAt(tokens, ',')
}

/** The tokens between `mark` outside of parentheses. */
export function splitAt(tokens: readonly Token[], mark: string): Token[][] {
  const parts: Token[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    if (token.kind === 'symbol' && /^[([]$/.test(token.text)) depth += 1
    if (token.kind === 'symbol' && /^[)\]]$/.test(token.text)) depth -= 1
    if (depth === 0 && token.kind === 'symbol' && token.text === mark) parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts
}
