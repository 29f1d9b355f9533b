import { isIPv6 } from 'node:net'

const MAX_EMAIL_LENGTH = 254
const EMAIL = /^[^\s@<>()[\]\\,;:"\p{C}]+@[^\s@.<>()[\]\\,;:"\p{C}]+(\.[^\s@.<>()[\]\\,;:"\p{C}]+)*$/u

/** Whether the text is an address that a browser's email field accepts, in any script. */
export function isEmail(text: string): boolean {
  return text.length <= MAX_EMAIL_LENGTH && EMAIL.test(text)
}

/** Canonical form for uniqueness, login and rate limits. Defined for any text; PostgreSQL can store it. */
export function emailKey(email: string): string {
  return email.trim().normalize('NFKC').toLowerCase().replace(/\p{C}/gu, '').slice(0, MAX_EMAIL_LENGTH)
}

/** Key of per-network limits: an IPv4 address, or the /64 that one IPv6 customer gets. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('%', 1)[0]?.toLowerCase().split('::') ?? []
  const left = head.split(':').filter(Boolean)
  const right = tail?.split(':').filter(Boolean) ?? []
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right]
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}
