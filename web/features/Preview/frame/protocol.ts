/**
 * What our page and a preview frame tell each other. The frame draws content of strangers: what it says is checked, and can only end
 * the preview or press a key of it.
 */

/** To the frame, once, after its first `ready`. */
export type FrameTask = {
  readonly bytes: ArrayBuffer
  readonly isDark: boolean
  /** The text of each slide, for readers that cannot see a drawing. */
  readonly texts: readonly string[]
}

export type FrameAnswer =
  | { readonly kind: 'ready' | 'failed' }
  /** Something is visible. */
  | { readonly kind: 'shown' }
  /** A key that belongs to the preview, such as Escape. */
  | { readonly kind: 'key'; readonly key: string }

/** Keys that a frame passes on: it would keep them, having the focus. */
export const PASSED_KEYS: readonly string[] = ['Escape', 'ArrowLeft', 'ArrowRight']

/** What a frame has said; null when it is none of these. */
export function frameAnswer(data: unknown): FrameAnswer | null {
  if (typeof data !== 'object' || data === null || !('kind' in data)) return null
  const { kind } = data
  if (kind === 'ready' || kind === 'failed' || kind === 'shown') return { kind }
  if (kind !== 'key' || !('key' in data) || !PASSED_KEYS.includes(String(data.key))) return null
  return { kind, key: String(data.key) }
}
