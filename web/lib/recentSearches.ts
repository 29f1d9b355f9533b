/** Stored per user of this browser. */
const KEY = 'recent-searches-'
const MAX_SEARCHES = 8

/** What this user has searched for in this browser, newest first. Empty where storage is refused. */
export function readRecentSearches(userId: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY + userId) ?? '[]')
    return Array.isArray(kept) ? kept.filter((text) => typeof text === 'string').slice(0, MAX_SEARCHES) : []
  } catch {
    return []
  }
}

/** Puts a search first. One that it only continues ("harb", then "harbour") or repeats is replaced. */
export function rememberSearch(userId: string, text: string): void {
  const fold = (each: string) => each.trim().toLowerCase()
  const [newest = '', ...older] = readRecentSearches(userId)
  const before = newest !== '' && !fold(text).startsWith(fold(newest)) ? [newest, ...older] : older
  const kept = [text.trim(), ...before.filter((each) => fold(each) !== fold(text))].slice(0, MAX_SEARCHES)
  try {
    localStorage.setItem(KEY + userId, JSON.stringify(kept))
  } catch {
    // Without storage nothing is remembered.
  }
}
