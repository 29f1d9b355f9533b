import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createSealing, SealingError } from '../../../server/lib/sealing.ts'

const [older, newer] = [randomBytes(32).toString('hex'), randomBytes(32).toString('base64')]
const sealing = createSealing([older])
const CONTEXT = 'account_credentials:1'

describe('sealing', () => {
  it.each(['', 'x', 'Grüße 🙂', 'x'.repeat(100_000)])('opens what it sealed', (plain) => {
    expect(sealing.open(sealing.seal(plain, CONTEXT), CONTEXT)).toBe(plain)
  })

  it('shows nothing of the text, and never the same twice', () => {
    const sealed = Array.from({ length: 10_000 }, () => sealing.seal('canary', CONTEXT))
    expect(sealed.join()).not.toContain('canary')
    const nonces = sealed.map((text) => Buffer.from(text.split('.')[2] ?? '', 'base64url').toString('hex', 0, 12))
    expect(new Set(nonces).size).toBe(10_000)
  })

  it('opens only in its own place', () => {
    const sealed = sealing.seal('secret', CONTEXT)
    expect(() => sealing.open(sealed, 'account_credentials:2')).toThrow(SealingError)
    expect(() => sealing.open(sealed, 'oauth_states:1')).toThrow(SealingError)
  })

  it('notices every changed byte, a cut and other texts', () => {
    const sealed = sealing.seal('secret', CONTEXT)
    const [version, id, text = ''] = sealed.split('.')
    const bytes = Buffer.from(text, 'base64url')
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(() => sealing.open(`${version}.${id}.${changed.toString('base64url')}`, CONTEXT)).toThrow(SealingError)
    }
    for (const wrong of ['', 'secret', `${version}.${id}.`, `${version}.${id}.AAAA`, sealed.slice(0, -4)]) {
      expect(() => sealing.open(wrong, CONTEXT)).toThrow(SealingError)
    }
  })

  it('seals by the first key and opens by each of them', () => {
    const sealed = sealing.seal('secret', CONTEXT)
    const both = createSealing([newer, older])
    expect(both.open(sealed, CONTEXT)).toBe('secret')
    expect(sealed.startsWith(both.prefix)).toBe(false)
    expect(both.seal('x', CONTEXT).startsWith(both.prefix)).toBe(true)
    expect(createSealing([newer]).open(both.seal('again', CONTEXT), CONTEXT)).toBe('again')
    expect(() => createSealing([newer]).open(sealed, CONTEXT)).toThrow(/not in the keyring/)
  })
})
