import { foldText } from '../../lib/foldText.ts'
import { InvalidInputError } from '../errors.ts'

/** As for names. */
const MOST_CHARACTERS = 255
const MOST_WORDS = 16
/** The last word can be the beginning of a longer one from this length on: fewer letters begin too many words. */
const SHORTEST_BEGINNING = 3

const QUOTES = /["\u00ab\u00bb\u201c-\u201e]/

export type TextQuery = {
  /** For PostgreSQL's `to_tsquery`. */
  readonly tsquery: string
  /** The longest word, folded: excerpts are taken from around its first place. */
  readonly anchor: string
}

/** @throws InvalidInputError for a query without a letter or digit, or a very long one */
export function parseTextQuery(query: string): TextQuery {
  const text = query
    .normalize('NFC')
    .replace(/\p{Cs}/gu, '')
    .trim()
  if (text.length > MOST_CHARACTERS) throw refusal(`Please search for at most ${MOST_CHARACTERS} characters.`)
  const groups = text.split(QUOTES).map((part, index) => {
    const words = wordsOf(part)
    // Between quotation marks.
    return index % 2 === 1 ? [words] : words.map((word) => [word])
  })
  const phrases = groups.flat().filter((words) => words.length > 0)
  const words = phrases.flat()
  if (words.length === 0) throw refusal('Please enter a word to search for.')
  if (words.length > MOST_WORDS) throw refusal(`Please search for at most ${MOST_WORDS} words.`)
  const last = QUOTES.test(text.slice(-1)) ? null : words.at(-1)
  const tsquery = phrases.map((phrase, index) => {
    const isLast = index === phrases.length - 1 && last !== null
    return phrase.map((word, at) => term(word, isLast && at === phrase.length - 1)).join(' <-> ')
  })
  const [anchor = ''] = words.toSorted((a, b) => b.length - a.length)
  return { tsquery: tsquery.join(' & '), anchor }
}

/** Folded words consist of letters, digits and marks only, so nothing in them has a meaning in a tsquery. */
function term(word: string, isBeginning: boolean): string {
  return isBeginning && [...word].length >= SHORTEST_BEGINNING ? `'${word}':*` : `'${word}'`
}

function wordsOf(text: string): string[] {
  return foldText(text)
    .split(' ')
    .filter((word) => word !== '')
}

function refusal(message: string): InvalidInputError {
  return new InvalidInputError([{ path: 'query', message }])
}
