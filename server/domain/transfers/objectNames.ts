import { createHash } from 'node:crypto'
import type { Capabilities } from '../../providers/driver.ts'

type Named = {
  readonly fileName: string
  readonly copyId: string
  readonly pieceId: string
  readonly index: number
  /** The copy has other pieces too. */
  readonly spanned: boolean
}
type Limits = Pick<Capabilities, 'maxNameLength' | 'nameUnit'>

/** Characters that some service or the systems that synchronise with it refuse. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const REFUSED = /[\u0000-\u001f\u007f"*/:<>?\\|]/g

/**
 * The name of a piece's object. A copy in one piece has the file's own name, so that people find it in their account. The names
 * that are tried after a conflict (`attempt` 1, 2, ...) are the same at every restart.
 */
export function objectName(named: Named, attempt: number, limits: Limits): string {
  const suffix = attempt === 0 ? '' : ` ~${marker(named.pieceId, attempt)}`
  if (named.spanned) return `${named.copyId}.${named.index}${suffix}`
  const clean =
    named.fileName
      .replace(/\p{Surrogate}/gu, '_')
      .replace(REFUSED, '_')
      .replace(/[. ]+$/, '')
      .trimStart() || 'file'
  const dot = clean.lastIndexOf('.')
  const [stem, extension] = dot > 0 && clean.length - dot <= 12 ? [clean.slice(0, dot), clean.slice(dot)] : [clean, '']
  return cut(stem, limits, lengthOf(suffix + extension, limits)) + suffix + extension
}

function marker(pieceId: string, attempt: number): string {
  return createHash('sha256').update(`${pieceId} ${attempt}`).digest('hex').slice(0, 6)
}

function lengthOf(text: string, { nameUnit }: Limits): number {
  return nameUnit === 'bytes' ? Buffer.byteLength(text) : text.length
}

/** Whole characters only. */
function cut(stem: string, limits: Limits, taken: number): string {
  const most = limits.maxNameLength - taken
  if (lengthOf(stem, limits) <= most) return stem
  let kept = ''
  for (const character of stem) {
    if (lengthOf(kept + character, limits) > most) break
    kept += character
  }
  return kept.replace(/[. ]+$/, '')
}
