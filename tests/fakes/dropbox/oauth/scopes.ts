/** What an app may ask for, and how the user is told. */
const MEANINGS: Readonly<Record<string, string>> = {
  'account_info.read': 'View basic information about your Dropbox account such as your name and email',
  'files.metadata.read': 'View information about your Dropbox files and folders',
  'files.metadata.write': 'View and edit information about your Dropbox files and folders',
  'files.content.read': 'View content of your Dropbox files and folders',
  'files.content.write': 'Edit content of your Dropbox files and folders',
  'sharing.read': 'View your Dropbox sharing settings and collaborators',
  'sharing.write': 'View and manage your Dropbox sharing settings and collaborators',
}

/** Writing implies reading of the same; everything implies the basic information. */
const IMPLIED: Readonly<Record<string, readonly string[]>> = {
  'files.metadata.write': ['files.metadata.read'],
  'files.content.read': ['files.metadata.read'],
  'files.content.write': ['files.metadata.read'],
  'sharing.write': ['sharing.read'],
}

/** All that the app is registered for when nothing is asked; null when something is not known. */
export function scopesOf(asked: string | null): readonly string[] | null {
  const names = (asked ?? '').split(/[\s+]+/).filter(Boolean)
  if (names.some((name) => !(name in MEANINGS))) return null
  if (names.length === 0) return Object.keys(MEANINGS)
  return [...new Set(names.flatMap((name) => [name, ...(IMPLIED[name] ?? []), 'account_info.read']))].sort()
}

export function meaningsOf(scopes: readonly string[]): string[] {
  return scopes.flatMap((scope) => MEANINGS[scope] ?? [])
}
