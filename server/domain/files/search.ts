import { createFairTurns, type FairTurns } from '../../lib/semaphore.ts'
import { InvalidInputError, TooManyRequestsError } from '../errors.ts'
import { searchKey } from './names.ts'

/** No name is longer. */
const MOST_CHARACTERS = 255
/** Trigrams of so much find few rows already; each one more costs a list of the index. */
const INDEXED = 32
/** Shorter ones have no trigram. */
const SHORTEST_INDEXED = 3

/** Without the characters that no name holds, and some of which PostgreSQL would not take. */
export function storable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}]/gu, '')
}

/** What is looked for in search keys; empty for everything. @throws InvalidInputError for more than any name holds */
export function wantedKey(query: string | undefined): string {
  const text = storable(query ?? '').trim()
  if (text.length <= MOST_CHARACTERS) return searchKey(text)
  const message = `Please search for at most ${MOST_CHARACTERS} characters.`
  throw new InvalidInputError([{ path: 'query', message }])
}

/** Whether no index of trigrams can find it. */
export function isShort(key: string): boolean {
  return key.length > 0 && key.length < SHORTEST_INDEXED
}

/** SQL conditions: `column` holds the key. */
export function matching(key: string, column: string, bind: (value: unknown) => string): string[] {
  const head = key.slice(0, INDEXED).replace(/[\\%_]/g, '\\$&')
  const found = `${column} like ${bind(`%${head}%`)}`
  return key.length > INDEXED ? [found, `strpos(${column}, ${bind(key)}) > 0`] : [found]
}

/** Heavy reads at once: some connections are always left for what is quick, and some of these for other users. */
const HEAVY_READS = { limit: 6, each: 2, mostWaiting: 100 }

/** Turns of users who search; whoever asks for too much at once hears it at once. */
export function createReadTurns(): FairTurns {
  return createFairTurns({ ...HEAVY_READS, refuse: () => new TooManyRequestsError(1) })
}
