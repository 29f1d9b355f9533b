export type MailAddress = { readonly name: string; readonly address: string }

/** Parses "Skypool <no-reply@example.org>" or a bare address; null for anything else. */
export function parseMailAddress(text: string): MailAddress | null {
  const [, name = '', address] = /^(?:"?([^"<>@\p{Cc}]*?)"?\s*<)?([^\s<>@"]+@[^\s<>@"]+)>?$/u.exec(text.trim()) ?? []
  if (address === undefined || text.includes('<') !== text.includes('>')) return null
  return { name, address }
}
