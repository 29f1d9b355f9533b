type Entry = {
  readonly kind?: string | undefined
  readonly size?: number | undefined
  readonly contentSize?: number | null | undefined
  readonly storedIn?: readonly { readonly name: string }[] | undefined
}

/** What several files and folders come to; what is gone by now counts for nothing. Bytes include what folders hold. */
export function sumSelection(entries: readonly (Entry | null | undefined)[]) {
  const accounts = new Set<string>()
  const sum = { bytes: 0, files: 0, folders: 0 }
  for (const entry of entries) {
    if (!entry?.kind) continue
    if (entry.kind === 'FOLDER') sum.folders += 1
    else sum.files += 1
    sum.bytes += (entry.kind === 'FOLDER' ? entry.contentSize : entry.size) ?? 0
    for (const { name } of entry.storedIn ?? []) accounts.add(name)
  }
  return { ...sum, accounts: [...accounts].sort() }
}
