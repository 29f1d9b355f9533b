import type { Marker } from './objects.ts'

const BATCH = 1_000

/** All pages of a list, as batches of at most 1,000. */
export async function* pages<Item>(
  read: (marker?: Marker) => Promise<{ readonly items: readonly Item[]; readonly next: Marker | null }>,
): AsyncIterable<readonly Item[]> {
  for (let marker: Marker | undefined; ; ) {
    const { items, next } = await read(marker)
    for (let at = 0; at < items.length; at += BATCH) yield items.slice(at, at + BATCH)
    if (next === null) return
    marker = next
  }
}

/** The id in a key: `…/<id>`, or `…/<id>-1-1` of a tail. */
export function idIn(key: string): string | null {
  return /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:-\d+-\d+)?$/.exec(key)?.[1] ?? null
}
