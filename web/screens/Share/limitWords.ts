import { formatRelative } from '../../lib/formatDate.ts'
import { words } from './words.ts'

/** How long and how often the link still works; empty when there is no limit. */
export function limitWords(expiresAt: string | null | undefined, downloadsLeft: number | null | undefined): string[] {
  return [
    ...(expiresAt ? [words.expires(soon(expiresAt))] : []),
    ...(downloadsLeft == null ? [] : [words.downloadsLeft(downloadsLeft)]),
  ]
}

const soon = (iso: string): string => (Date.parse(iso) - Date.now() < 60_000 ? 'in a moment' : formatRelative(iso))
