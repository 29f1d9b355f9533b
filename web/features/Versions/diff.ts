/** A line of a comparison: `before` and `after` are line numbers from 1, absent where the text does not have the line. */
export type Line = {
  readonly kind: 'same' | 'added' | 'removed'
  readonly before?: number
  readonly after?: number
  readonly words: readonly Word[]
}

/** A part of a line; `changed`: the line that it replaces, or is replaced by, does not have it. */
export type Word = { readonly text: string; readonly changed: boolean }

/** Changed lines with the unchanged ones around them. */
export type Hunk = { readonly lines: readonly Line[] }

/** Unchanged lines that are shown before and after each change. */
const CONTEXT = 3
/** Texts that differ in more lines than this are compared as a whole, because the time grows with its square. */
const MOST_CHANGES = 2_000
/** The same for the words of a line. */
const MOST_WORDS = 400

type Step = 'same' | 'added' | 'removed'

/** The shortest way from one list to the other (Myers), or all of one and then all of the other if that is longer than `most`. */
function stepsBetween(a: readonly string[], b: readonly string[], most: number): Step[] {
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1
  const middle = shortest(a.slice(head, a.length - tail), b.slice(head, b.length - tail), most)
  return [...Array<Step>(head).fill('same'), ...middle, ...Array<Step>(tail).fill('same')]
}

function shortest(a: readonly string[], b: readonly string[], most: number): Step[] {
  const limit = Math.min(a.length + b.length, most)
  const reach = new Map<number, number>([[1, 0]])
  const trace: Map<number, number>[] = []
  for (let cost = 0; cost <= limit; cost += 1) {
    trace.push(new Map(reach))
    for (let k = -cost; k <= cost; k += 2) {
      const down = k === -cost || (k !== cost && (reach.get(k - 1) ?? 0) < (reach.get(k + 1) ?? 0))
      let x = down ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1
      reach.set(k, x)
      if (x >= a.length && x - k >= b.length) return walkBack(trace, a.length, b.length)
    }
  }
  return [...Array<Step>(a.length).fill('removed'), ...Array<Step>(b.length).fill('added')]
}

function walkBack(trace: readonly Map<number, number>[], endX: number, endY: number): Step[] {
  const steps: Step[] = []
  let [x, y] = [endX, endY]
  for (let cost = trace.length - 1; cost >= 0; cost -= 1) {
    const reach = trace[cost] ?? new Map<number, number>()
    const k = x - y
    const down = k === -cost || (k !== cost && (reach.get(k - 1) ?? 0) < (reach.get(k + 1) ?? 0))
    const fromX = cost === 0 ? 0 : (reach.get(down ? k + 1 : k - 1) ?? 0)
    const fromY = cost === 0 ? 0 : fromX - (down ? k + 1 : k - 1)
    while (x > fromX && y > fromY && steps.length < endX + endY) {
      steps.push('same')
      x -= 1
      y -= 1
    }
    if (cost === 0) break
    steps.push(down ? 'added' : 'removed')
    x = fromX
    y = fromY
  }
  return steps.reverse()
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/))
const wordsOf = (line: string): string[] => line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? []

/** Compares two texts line by line; within lines that were replaced, word by word. */
export function compareTexts(before: string, after: string): Line[] {
  const [a, b] = [linesOf(before), linesOf(after)]
  const lines: Line[] = []
  let [at, bt] = [0, 0]
  const steps = stepsBetween(a, b, MOST_CHANGES)
  for (let index = 0; index < steps.length; ) {
    if (steps[index] === 'same') {
      lines.push({ kind: 'same', before: at + 1, after: bt + 1, words: [{ text: a[at] ?? '', changed: false }] })
      at += 1
      bt += 1
      index += 1
      continue
    }
    let [removed, added] = [0, 0]
    for (; index < steps.length && steps[index] !== 'same'; index += 1) {
      if (steps[index] === 'removed') removed += 1
      else added += 1
    }
    lines.push(...changedLines(a.slice(at, at + removed), b.slice(bt, bt + added), at, bt))
    at += removed
    bt += added
  }
  return lines
}

function changedLines(removed: readonly string[], added: readonly string[], at: number, bt: number): Line[] {
  const pairs = removed.map((line, index) => compareParts(line, added[index]))
  const others = added.map((line, index) => pairs[index]?.after ?? [{ text: line, changed: false }])
  return [
    ...pairs.map((pair, index): Line => ({ kind: 'removed', before: at + index + 1, words: pair.before })),
    ...others.map((words, index): Line => ({ kind: 'added', after: bt + index + 1, words })),
  ]
}

/** `after` is empty where no line replaces this one. */
function compareParts(line: string, other: string | undefined): { before: Word[]; after: Word[] | undefined } {
  if (other === undefined) return { before: [{ text: line, changed: false }], after: undefined }
  const [a, b] = [wordsOf(line), wordsOf(other)]
  const before: Word[] = []
  const after: Word[] = []
  let [at, bt] = [0, 0]
  for (const step of stepsBetween(a, b, MOST_WORDS)) {
    if (step !== 'added') append(before, a[at++] ?? '', step === 'removed')
    if (step !== 'removed') append(after, b[bt++] ?? '', step === 'added')
  }
  return { before, after }
}

function append(words: Word[], text: string, changed: boolean): void {
  const last = words.at(-1)
  if (last?.changed === changed) words[words.length - 1] = { text: last.text + text, changed }
  else words.push({ text, changed })
}

/** The changes with some lines around them; far unchanged lines are left out. */
export function hunksOf(lines: readonly Line[]): Hunk[] {
  const hunks: Line[][] = []
  let shown = -1
  for (const [index, line] of lines.entries()) {
    const near = lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ kind }) => kind !== 'same')
    if (!near) continue
    if (shown !== index - 1 || hunks.length === 0) hunks.push([])
    hunks.at(-1)?.push(line)
    shown = index
  }
  return hunks.map((hunk) => ({ lines: hunk }))
}

/** Numbers of added and removed lines. */
export function countChanges(lines: readonly Line[]): { readonly added: number; readonly removed: number } {
  const count = (kind: Line['kind']) => lines.filter((line) => line.kind === kind).length
  return { added: count('added'), removed: count('removed') }
}
