import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createEncryption, EncryptionError } from '../../../server/lib/encryption.ts'

const [older, newer] = [randomBytes(32).toString('hex'), randomBytes(32).toString('base64')]
const encryption = createEncryption([older])
const CONTEXT = 'account_credentials:1'

describe('encryption', () => {
  it('opens what every earlier version has stored', () => {
    const { open, isSigned } = createEncryption(['a key of tests that never changes'])
    const sealed = 'v1.42031cd8.PuVYFx2sL8Dd5-_5P1RYLo6rV9osHLPteYedK0tHg6ryrHpI5k7SaQk'
    expect(open(sealed, 'account 1')).toBe('refresh token')
    expect(isSigned('text', 'purpose', 'uAjNOkHr1kDbj9NgG9xsidmArjgUkr0qfgqJo3nsnN0')).toBe(true)
  })

  it.each(['', 'x', 'Grüße 🙂', 'x'.repeat(100_000)])('opens what it sealed', (plain) => {
    expect(encryption.open(encryption.seal(plain, CONTEXT), CONTEXT)).toBe(plain)
  })

  it('shows nothing of the text, and never the same twice', () => {
    const sealed = Array.from({ length: 10_000 }, () => encryption.seal('canary', CONTEXT))
    expect(sealed.join()).not.toContain('canary')
    const nonces = sealed.map((text) => Buffer.from(text.split('.')[2] ?? '', 'base64url').toString('hex', 0, 12))
    expect(new Set(nonces).size).toBe(10_000)
  })

  it('opens only in its own place', () => {
    const sealed = encryption.seal('secret', CONTEXT)
    expect(() => encryption.open(sealed, 'account_credentials:2')).toThrow(EncryptionError)
    expect(() => encryption.open(sealed, 'oauth_states:1')).toThrow(EncryptionError)
  })

  it('notices every changed byte, a cut and other texts', () => {
    const sealed = encryption.seal('secret', CONTEXT)
    const [version, id, text = ''] = sealed.split('.')
    const bytes = Buffer.from(text, 'base64url')
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => encryption.open(`${version}.${id}.${changed.toString('base64url')}`, CONTEXT)).toThrow(
        EncryptionError,
      )
    }
    for (const wrong of ['', 'secret', `${version}.${id}.`, `${version}.${id}.AAAA`, sealed.slice(0, -4)]) {
      expect(() => encryption.open(wrong, CONTEXT)).toThrow(EncryptionError)
    }
  })

  it('seals by the first key and opens by each of them', () => {
    const sealed = encryption.seal('secret', CONTEXT)
    const both = createEncryption([newer, older])
    expect(both.open(sealed, CONTEXT)).toBe('secret')
    expect(sealed.startsWith(both.prefix)).toBe(false)
    expect(both.seal('x', CONTEXT).startsWith(both.prefix)).toBe(true)
    expect(createEncryption([newer]).open(both.seal('again', CONTEXT), CONTEXT)).toBe('again')
    expect(() => createEncryption([newer]).open(sealed, CONTEXT)).toThrow(/not in the keyring/)
  })
})
