import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'

export type Content = { readonly sha256: string; readonly size: number }

/** A file that the server has acknowledged. */
export type Entry = Content & { readonly id: string }

/** What was acknowledged, by the judge's own book: an acknowledgement counts once it is fsynced here. */
export function createLedger(path: string) {
  const entries: Entry[] = []
  const documents = new Map<string, readonly Content[] | null>()
  const file = openSync(path, 'a')
  const write = (line: object) => {
    writeSync(file, `${JSON.stringify(line)}\n`)
    fsyncSync(file)
  }
  return {
    entries: entries as readonly Entry[],
    /** The contents of files that are replaced, the current one first; null: deleted permanently. */
    documents: documents as ReadonlyMap<string, readonly Content[] | null>,
    add(entry: Entry): void {
      write(entry)
      entries.push(entry)
    },
    keep(id: string, contents: readonly Content[] | null): void {
      write({ id, contents })
      documents.set(id, contents)
    },
    close: () => closeSync(file),
  }
}

export type Ledger = ReturnType<typeof createLedger>
