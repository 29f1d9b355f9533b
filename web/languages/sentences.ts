/** [English, translated], with the same placeholders. */
type Sentences = readonly (readonly [english: string, translated: string])[]

/** Fields in which the server writes to people. */
const FIELDS = new Set(
  (
    'access capabilities connectSteps description detail error help label limits message poolReason problem providerNote reason sentence ' +
    'setupSteps signInHints stateReason statusReason summary why'
  ).split(' '),
)
/** Names that the server gives to the first account and group cloud of everyone. Whoever renames them has other ones. */
const GIVEN_NAMES = new Set(['This server', 'My Cloud'])
/** Ids of accounts and group clouds. */
const CAN_HAVE_GIVEN_NAME = /^(?:acct|pool)_/
const DEEPEST = 12
const SLOT = /\{(\w+)\}/
/** "Drive (most free space)", and what follows: such a text has no fixed words, and therefore no pattern. */
const HAS_REASON = /^[^;]+ \(\p{Ll}[^()]*\)(?:; |$)/u

type Pattern = {
  readonly expression: RegExp
  /** In the order of the English text. `isName`: it is in quotation marks, so its value is a name and not translated. */
  readonly slots: readonly { readonly name: string; readonly isName: boolean }[]
  readonly translated: string
  /** The number of letters outside the placeholders. Patterns with more are tried first. */
  readonly letters: number
}

const known = new Map<string, string>()
let patterns: readonly Pattern[] = []

/** A sentence, or several, in the language of the page; as it is when the language does not have it. */
export function serverText(text: string): string {
  const found = known.get(text)
  if (found !== undefined) return found
  const translated = withQuotes(eachSentence(text) ?? oneSentence(text) ?? text)
  if (known.size < 5_000) known.set(text, translated)
  return translated
}

/**
 * "Copy 1: … . Copy 2: … ." sentence by sentence: as one it would fit the pattern of the first, whose last placeholder would take in
 * the others. Null when the language lacks one of them.
 */
function eachSentence(text: string): string | null {
  const sentences = text.split(/(?<=\.) (?=\p{Lu})/u)
  if (sentences.length === 1) return null
  const translated = sentences.map((sentence) => known.get(sentence) ?? oneSentence(sentence))
  return translated.includes(null) ? null : translated.join(' ')
}

function oneSentence(text: string): string | null {
  // Some are a part of another, at whose end is the full stop.
  const clause = text.endsWith('.') ? text.slice(0, -1) : null
  const part = clause === null ? null : (matched(clause, 0) ?? (HAS_REASON.test(clause) ? partText(clause, 0) : null))
  return matched(text, 0) ?? (part === null || part === clause ? null : `${part}.`)
}

/** Adds sentences, which apply from now on. */
export function learn(sentences: Sentences): void {
  for (const [english, translated] of sentences) if (!SLOT.test(english)) known.set(english, translated)
  patterns = sentences
    .filter(([english]) => SLOT.test(english))
    .map(([english, translated]) => patternOf(english, translated))
    .sort((a, b) => b.letters - a.letters)
}

/** Names in quotation marks that stood for a placeholder have English ones. */
const withQuotes = (text: string): string =>
  import.meta.env.VITE_LANGUAGE === 'de' ? text.replace(/“([^“”„]*)”/g, '„$1“') : text

function patternOf(english: string, translated: string): Pattern {
  const pieces = english.split(/\{(\w+)\}/)
  const escaped = (piece: string) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const slots = pieces.flatMap((name, index) =>
    index % 2 === 0 ? [] : [{ name, isName: pieces[index - 1]?.endsWith('“') === true }],
  )
  const source = pieces.map((piece, index) => (index % 2 === 0 ? escaped(piece) : '([^]*?)')).join('')
  const letters = pieces.filter((_piece, index) => index % 2 === 0).join('').length
  return { expression: new RegExp(`^${source}$`), slots, translated, letters }
}

function matched(text: string, depth: number): string | null {
  for (const { expression, slots, translated } of patterns) {
    const found = expression.exec(text)
    if (!found) continue
    const values = new Map(
      slots.map(({ name, isName }, index) => [name, valueText(found[index + 1] ?? '', { name, isName, depth })]),
    )
    return translated.replace(/\{(\w+)\}/g, (slot, name: string) => values.get(name) ?? slot)
  }
  return null
}

type Place = { readonly name: string; readonly isName: boolean; readonly depth: number }

/** The translated value of a placeholder. In a list of names such as "A, B and C", the "and" is translated. */
function valueText(text: string, { name, isName, depth }: Place): string {
  if (isName) return nameText(text)
  const last = name === 'names' ? text.lastIndexOf(AND) : -1
  if (last < 0) return partText(text, depth)
  return partText(text.slice(0, last), depth) + and() + nameText(text.slice(last + AND.length))
}

/** As the server writes it. */
const AND = ' and '
/** Of the language of the page. */
const and = () => new Intl.ListFormat('en').formatToParts(['', '']).find(({ type }) => type === 'literal')?.value ?? AND

const nameText = (name: string): string => (GIVEN_NAMES.has(name) ? (known.get(name) ?? name) : name)

/** Translates the value of a placeholder: a name or a number, one sentence, or several. */
function partText(text: string, depth: number): string {
  const found = known.get(text)
  if (found !== undefined) return found
  const name = /^“([^“”]*)”$/.exec(text)?.[1]
  if (name !== undefined) return `“${nameText(name)}”`
  if (depth >= 3 || !/\p{L}{2}/u.test(text)) return text
  const whole = matched(text, depth + 1)
  if (whole !== null) return whole
  for (const separator of ['; ', ', ']) {
    if (!text.includes(separator)) continue
    return text
      .split(separator)
      .map((part) => partText(part, depth + 1))
      .join(separator)
  }
  return text.replace(/ \((\p{Ll}[^()]*)\)$/u, (_all, reason: string) => ` (${partText(reason, depth + 1)})`)
}

/** Translates the fields of an answer in which the server writes to people, and the names that it has given itself. */
export function translateFields(value: unknown, depth = 0, isText = false): void {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return
  const fields = value as Record<string, unknown>
  for (const [name, field] of Object.entries(fields)) {
    const holdsText = FIELDS.has(name) || (isText && Array.isArray(value))
    if (typeof field === 'string') {
      if (holdsText) fields[name] = serverText(field)
      else if (name === 'name' && CAN_HAVE_GIVEN_NAME.test(String(fields.id))) fields[name] = nameText(field)
    } else translateFields(field, depth + 1, holdsText)
  }
}
