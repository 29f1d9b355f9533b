const PAUSE_MS = 700

/** Letters typed in quick succession form one prefix; a pause starts a new one. */
export class TypeAhead {
  private text = ''
  private last = Number.NEGATIVE_INFINITY

  isActive(now: number): boolean {
    return this.text !== '' && now - this.last < PAUSE_MS
  }

  /** After another key, the next letter begins a new prefix. */
  end(): void {
    this.text = ''
  }

  /** Adds a letter and returns the prefix. */
  push(letter: string, now: number): string {
    this.text = this.isActive(now) ? this.text + letter : letter
    this.last = now
    return this.text
  }
}

/**
 * The next row whose name begins with what was typed, ignoring case and accents; the search wraps round. One letter
 * continues at the row after `from`, more letters may stay on it. -1: none.
 */
export function findByPrefix(
  text: string,
  from: number,
  count: number,
  nameAt: (index: number) => string | undefined,
): number {
  const wanted = fold(text)
  const first = wanted.length > 1 ? Math.max(0, from) : from + 1
  for (let step = 0; step < count; step += 1) {
    const index = (first + step) % count
    if (fold((nameAt(index) ?? '').slice(0, text.length * 2)).startsWith(wanted)) return index
  }
  return -1
}

function fold(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
}
