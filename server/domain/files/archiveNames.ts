import { nameKey, numberedName } from './names.ts'

const RESERVED_ON_WINDOWS = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i

/** A name that every system can unpack: nothing that Windows refuses or takes for a path, never `..`. */
export function portableName(name: string): string {
  const clean = name.replace(/[\\/:*?"<>|\p{Cc}]/gu, '_').replace(/[. ]+$/, (end) => '_'.repeat(end.length))
  return clean.replace(RESERVED_ON_WINDOWS, '$&_')
}

/** Names of one folder of an archive: each is portable and differs from the others by more than case. */
export function createArchiveNames(): (name: string, kind: 'FILE' | 'FOLDER') => string {
  const taken = new Set<string>()
  return (name, kind) => {
    const portable = portableName(name)
    let unique = portable
    for (let number = 2; taken.has(nameKey(unique)); number++) unique = numberedName(portable, number, kind)
    taken.add(nameKey(unique))
    return unique
  }
}
