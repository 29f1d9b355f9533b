/**
 * What our page and a preview frame tell each other. The frame draws content of strangers: what it says is checked, and can only end
 * the preview, press a key of it, or read the file that it shows.
 */

/** To the frame, once, after its first `ready`. */
export type FrameTask = {
  readonly bytes: ArrayBuffer
  /** The text of each slide, for readers that cannot see a drawing. */
  readonly texts: readonly string[]
}

/** As FrameTask, of a book: its frame asks for the parts of the file that it needs. */
export type BookTask = {
  /** Of the file, in bytes. */
  readonly size: number
  /** Shown in place of a chapter that cannot be. */
  readonly sectionFailed: string
  readonly untitled: string
}

/** With each task. */
export type Theme = { readonly isDark: boolean }

/** To the frame, after its question `id`; null: this part of the file cannot be read now. */
export type ReadAnswer = { readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> | null }

/** Why nothing is drawn. */
const FAILURES = ['failed', 'protected', 'tooLarge', 'unread'] as const
export type FrameFailure = (typeof FAILURES)[number]

export type FrameAnswer =
  | { readonly kind: 'ready' | FrameFailure }
  /** Something is visible. */
  | { readonly kind: 'shown' }
  /** A key that belongs to the preview, such as Escape. */
  | { readonly kind: 'key'; readonly key: string }
  | FrameQuestion

/** For bytes of the file from `start` up to, not including, `end`. */
export type FrameQuestion = {
  readonly kind: 'read'
  readonly id: number
  readonly start: number
  readonly end: number
}

/** Keys that a frame passes on: it would keep them, having the focus. */
export const PASSED_KEYS: readonly string[] = ['Escape', 'ArrowLeft', 'ArrowRight']

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/** What a frame has said; null when it is none of these. */
export function frameAnswer(data: unknown): FrameAnswer | null {
  if (typeof data !== 'object' || data === null || !('kind' in data)) return null
  const { kind, key, id, start, end } = data as Record<string, unknown>
  if (kind === 'ready' || kind === 'shown') return { kind }
  const failure = FAILURES.find((known) => known === kind)
  if (failure) return { kind: failure }
  if (kind === 'read') return isCount(id) && isCount(start) && isCount(end) ? { kind, id, start, end } : null
  return kind === 'key' && PASSED_KEYS.includes(String(key)) ? { kind, key: String(key) } : null
}
