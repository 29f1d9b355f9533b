import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createEncryption, EncryptionError } from '../../../server/lib/encryption.ts'

const [older, newer] = [randomBytes(32).toString('hex'), randomBytes(32).toString('base64')]
const encryption = createEncryption([older])
const CONTEXT = 'account_credentials:1'

describe('encryption', () => {
  it('opens what every earlier version has stored', () => {
    const { decrypt, verify } = createEncryption(['a key of tests that never changes'])
    const sealed = 'v1.42031cd8.PuVYFx2sL8Dd5-_5P1RYLo6rV9osHLPteYedK0tHg6ryrHpI5k7SaQk'
    expect(decrypt(sealed, 'account 1')).toBe('refresh token')
    expect(verify('text', 'purpose', 'uAjNOkHr1kDbj9NgG9xsidmArjgUkr0qfgqJo3nsnN0')).toBe(true)
  })

  it.each(['', 'x', 'Grüße 🙂', 'x'.repeat(100_000)])('opens what it sealed', (plain) => {
    expect(encryption.decrypt(encryption.encrypt(plain, CONTEXT), CONTEXT)).toBe(plain)
  })

  it('shows nothing of the text, and never the same twice', () => {
    const sealed = Array.from({ length: 10_000 }, () => encryption.encrypt('canary', CONTEXT))
    expect(sealed.join()).not.toContain('canary')
    const nonces = sealed.map((text) => Buffer.from(text.split('.')[2] ?? '', 'base64url').toString('hex', 0, 12))
    expect(new Set(nonces).size).toBe(10_000)
  })

  it('opens only in its own place', () => {
    const sealed = encryption.encrypt('secret', CONTEXT)
    expect(() => encryption.decrypt(sealed, 'account_credentials:2')).toThrow(EncryptionError)
    expect(() => encryption.decrypt(sealed, 'oauth_states:1')).toThrow(EncryptionError)
  })

  it('notices every changed byte, a cut and other texts', () => {
    const sealed = encryption.encrypt('secret', CONTEXT)
    const [version, id, text = ''] = sealed.split('.')
    const bytes = Buffer.from(text, 'base64url')
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => encryption.decrypt(`${version}.${id}.${changed.toString('base64url')}`, CONTEXT)).toThrow(
        EncryptionError,
      )
    }
    for (const wrong of ['', 'secret', `${version}.${id}.`, `${version}.${id}.AAAA`, sealed.slice(0, -4)]) {
      expect(() => encryption.decrypt(wrong, CONTEXT)).toThrow(EncryptionError)
    }
  })

  it('seals by the first key and opens by each of them', () => {
    const sealed = encryption.encrypt('secret', CONTEXT)
    const both = createEncryption([newer, older])
    expect(both.decrypt(sealed, CONTEXT)).toBe('secret')
    expect(sealed.startsWith(both.prefix)).toBe(false)
    expect(both.encrypt('x', CONTEXT).startsWith(both.prefix)).toBe(true)
    expect(createEncryption([newer]).decrypt(both.encrypt('again', CONTEXT), CONTEXT)).toBe('again')
    expect(() => createEncryption([newer]).decrypt(sealed, CONTEXT)).toThrow(/not in the keyring/)
  })
})
