import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'

/** A file that the server has acknowledged. */
export type Entry = { readonly id: string; readonly sha256: string; readonly size: number }

/** What was acknowledged, by the judge's own book: an acknowledgement counts once it is fsynced here. */
export function createLedger(path: string) {
  const entries: Entry[] = []
  const file = openSync(path, 'a')
  return {
    entries: entries as readonly Entry[],
    add(entry: Entry): void {
      writeSync(file, `${JSON.stringify(entry)}\n`)
      fsyncSync(file)
      entries.push(entry)
    },
    close: () => closeSync(file),
  }
}

export type Ledger = ReturnType<typeof createLedger>
