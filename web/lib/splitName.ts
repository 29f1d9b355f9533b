const TAIL_LETTERS = 5

/**
 * Cuts a file name so that its end stays visible when the start is shortened: the last 5 letters of the stem and the
 * ending ("Harbour walkthrou" + "gh 4K.mov"). Short names keep everything in `tail`'s favour: an empty `tail`.
 */
export function splitName(name: string): { head: string; tail: string } {
  const dot = name.lastIndexOf('.')
  const stemLength = dot > 0 && name.length - dot <= 8 ? dot : name.length
  const letters = [...name.slice(0, stemLength)]
  if (letters.length <= TAIL_LETTERS * 2) return { head: name, tail: '' }
  const head = letters.slice(0, -TAIL_LETTERS).join('')
  return { head, tail: name.slice(head.length) }
}
