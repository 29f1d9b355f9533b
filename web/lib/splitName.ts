import { isRightToLeft, splitEnding, visibleName } from './nameText.ts'

const TAIL_LETTERS = 5

/**
 * Cuts a file name so that its end stays visible when the start is shortened: the last 5 letters of the stem and the
 * ending ("Harbour walkthrou" + "gh 4K.mov"). Short names keep everything in `tail`'s favour: an empty `tail`. A name
 * written from right to left is cut before its ending alone: its letters must stay together. Unseen characters are
 * shown.
 */
export function splitName(raw: string): { head: string; tail: string } {
  const name = visibleName(raw)
  const { stem, ending } = splitEnding(name)
  if (isRightToLeft(name)) return { head: stem, tail: ending }
  const letters = [...stem]
  if (letters.length <= TAIL_LETTERS * 2) return { head: name, tail: '' }
  const head = letters.slice(0, -TAIL_LETTERS).join('')
  return { head, tail: name.slice(head.length) }
}
