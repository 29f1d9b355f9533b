import { setImmediate } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import { foldText } from '../../lib/foldText.ts'
import type { ByteSource } from '../../storage/byteSource.ts'
import { CONTENT_IN_PLACE } from '../files/content/hashes.ts'
import type { FileCategory } from '../files/contract.ts'

/** What a text is extracted by. PLAIN: text itself. OFFICE: Word, Excel, PowerPoint and OpenDocument. */
export type TextFormat = 'PLAIN' | 'PDF' | 'OFFICE'

/** Extracts text outside of this process (server/thumbnails). */
export type ExtractText = (job: {
  readonly format: TextFormat
  readonly source: Pick<ByteSource, 'size' | 'read'>
  /** Characters (UTF-16 code units) after which the rest is left out. */
  readonly limit: number
}) => Promise<
  { readonly text: string } | { readonly failure: 'BROKEN' | 'STOPPED' | 'UNREAD'; readonly reason: string }
>

/** Of the text of one content. PostgreSQL cannot index much more. */
export const MOST_CHARACTERS = 1024 * 1024

const MIB = 1024 * 1024
/** The longest UTF-8 character has four bytes. */
const MOST_PLAIN_BYTES = 4 * MOST_CHARACTERS
/** They are read as a whole. */
const MOST_BYTES = { PDF: 32 * MIB, OFFICE: 64 * MIB } as const

const OFFICE_NAMES = /\.(?:docx|docm|dotx|xlsx|xlsm|xltx|pptx|pptm|ppsx|potx|odt|ods|odp|ott|ots|otp)$/i
const OFFICE_TYPES = /openxmlformats|opendocument/

export type Document = {
  readonly name: string
  readonly category: FileCategory
  readonly mimeType: string | null
  readonly size: number
}

/** How the text of a file is extracted; null: it has none that can be, by its type and size alone. */
export function formatOf({ name, category, mimeType, size }: Document): TextFormat | null {
  if (size === 0) return null
  if (category === 'TEXT') return 'PLAIN'
  if (category === 'PDF') return size <= MOST_BYTES.PDF ? 'PDF' : null
  if (category !== 'DOCUMENT' && category !== 'SPREADSHEET' && category !== 'PRESENTATION') return null
  const isOffice = OFFICE_NAMES.test(name) || OFFICE_TYPES.test(mimeType ?? '')
  return isOffice && size <= MOST_BYTES.OFFICE ? 'OFFICE' : null
}

/** Of plain text, its beginning is enough. */
export function neededPart({ size, read }: ByteSource, format: TextFormat): Pick<ByteSource, 'size' | 'read'> {
  return { size: format === 'PLAIN' ? Math.min(size, MOST_PLAIN_BYTES) : size, read }
}

/**
 * Identifies the content of a file for ContentText, for `f` (files) and `e` (account_entries, joined from the left); null while an account
 * does not have the file yet. In accounts, files with the same hash share it.
 */
export const TEXT_KEY = `case when f.account_id is null then f.sha256
  when e.file_id is not null then sha256(convert_to(concat_ws(' ', e.account_id, case when e.hash is null then f.id end, ${CONTENT_IN_PLACE}), 'UTF8')) end`

/** Characters that are folded at once, while requests wait. */
const PART = 64 * 1024

async function foldInParts(text: string): Promise<string> {
  let folded = ''
  let rest = text
  while (rest !== '') {
    const part = rest.slice(0, PART)
    // Never between the halves of a character.
    const end = rest.length > PART && part.charCodeAt(PART - 1) >>> 10 === 0x36 ? PART - 1 : part.length
    folded += foldText(rest.slice(0, end))
    rest = rest.slice(end)
    await setImmediate()
  }
  return folded
}

const KEEP = `insert into content_texts (user_id, key, text, folded, words) values ($1, $2, $3, $4, to_tsvector('simple', $4))
  on conflict do nothing`

/** The text has more different words than PostgreSQL can index. */
const TOO_MANY_WORDS = '54000'

/** Stores the text of a content, as much of it as can be indexed. */
export async function keepText(
  tx: Pick<PoolClient, 'query'>,
  { userId, key }: { readonly userId: string; readonly key: Buffer },
  text: string,
): Promise<void> {
  const folded = await foldInParts(text)
  await tx.query('savepoint before_text')
  try {
    await tx.query(KEEP, [userId, key, text, folded])
  } catch (error) {
    if ((error as { code?: unknown }).code !== TOO_MANY_WORDS) throw error
    await tx.query('rollback to savepoint before_text')
    await keepText(tx, { userId, key }, text.slice(0, text.length / 2).replace(/\p{Cs}/gu, ''))
  }
}
