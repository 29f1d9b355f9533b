import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { chunkEnd, createContentCipher, createContentMac, partEnd } from '../../../server/providers/mega/content.ts'
import {
  decryptAttributes,
  decryptSessionId,
  encryptAttributes,
  oldPasswordKeys,
  packFileKey,
  passwordKeys,
  toBase64,
  unpackFileKey,
} from '../../../server/providers/mega/crypto.ts'
import { solveHashcash } from '../../../server/providers/mega/hashcash.ts'
import { entryOf, NODE, readNode } from '../../../server/providers/mega/nodes.ts'
import { readTreeReply } from '../../../server/providers/mega/treeReply.ts'
import { encryptSession, macOf, rsa } from '../../fakes/mega/crypto.ts'
import { bytesOf, digestOf } from './providerHarness.ts'

const KEY = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')
const NONCE = Buffer.from('0908070605040302', 'hex')
const KIB = 1024

/** Feeds in pieces that end nowhere in particular. */
function macIn(step: number, bytes: Buffer): string {
  const mac = createContentMac({ key: KEY, nonce: NONCE })
  for (let at = 0; at < bytes.length; at += step) mac.update(bytes.subarray(at, at + step))
  return mac.digest().toString('hex')
}

describe('a password', () => {
  // Computed with megajs 1.3.10.
  it.each([
    ['correct horse', 'ann@example.com', '34d7d398763025c1f27060c1d39f36da', 'H7nk4Xv3ZJk'],
    [
      'a much longer password, Grüße, of 40 bytes',
      'someone.with.a.long.address@mail.example.org',
      'bcd39264fbf92f3447f2efbe7bea8298',
      'MpHoo2T9ha0',
    ],
  ])('of an old account is the key that other clients compute: %s', async (password, email, key, proof) => {
    const keys = await oldPasswordKeys(password, email)
    expect([keys.key.toString('hex'), keys.proof]).toEqual([key, proof])
  })

  it('of a new account is stretched with its salt', async () => {
    const { key, proof } = await passwordKeys('correct horse', Buffer.alloc(16, 7))
    expect(key.toString('hex')).toBe('f76937500d352f362106c5593fc4d083')
    expect(Buffer.from(proof, 'base64url').toString('hex')).toBe('69e330842960dec86b5200ec50103e0d')
  })
})

describe('a content', () => {
  // Computed with megajs 1.3.10.
  it.each([
    [1, '97b8f589eb6ffac0', '60ba4b2daa4ed4d070fec06687e249e0e6f9ee45'],
    [16, 'f0ac93dafef265e0', '46f398c25f24d3356c9a0a2e7ea0505c07a62d94'],
    [131_073, '60398d430bf9f496', '67c88af7a9edc8e8274f888bfa1c8c0b3bd72899'],
    [1_000_000, 'ce33b5f852199603', '32638767d59886798fe40271f5b36711f19f4f2e'],
    [5_000_001, '7887e8c219023eab', 'daa6f998a445c83afcdde15803ef536130143142'],
  ])('of %d bytes has the MAC and the bytes that other clients compute', (size, mac, sha1) => {
    const bytes = bytesOf(size)
    expect(macIn(60_001, bytes)).toBe(mac)
    const encrypted = createContentCipher({ key: KEY, nonce: NONCE }).update(bytes)
    expect(digestOf('sha1', encrypted)).toBe(sha1)
  })

  it.each([0, 15, 17, 128 * KIB, 384 * KIB, 36 * 128 * KIB, 36 * 128 * KIB + 1])(
    'of %d bytes has the same MAC in pieces of any length',
    (size) => {
      const bytes = bytesOf(size)
      const expected = macOf(KEY, NONCE, bytes).toString('hex')
      for (const step of [1009, 65_536, size + 1]) expect(macIn(step, bytes)).toBe(expected)
    },
  )

  it('has a MAC that continues at the end of any chunk', () => {
    const bytes = bytesOf(1_500_000)
    const whole = macIn(bytes.length, bytes)
    for (let offset = 0; offset < bytes.length; offset = chunkEnd(offset)) {
      const first = createContentMac({ key: KEY, nonce: NONCE })
      first.update(bytes.subarray(0, offset))
      const second = createContentMac({ key: KEY, nonce: NONCE }, { offset, state: first.state })
      second.update(bytes.subarray(offset))
      expect(second.digest().toString('hex')).toBe(whole)
    }
  })

  it('is encrypted from any byte as from the first one', () => {
    const bytes = bytesOf(70_000)
    const whole = createContentCipher({ key: KEY, nonce: NONCE }).update(bytes)
    for (const offset of [1, 15, 16, 17, 65_536, 69_999]) {
      const part = createContentCipher({ key: KEY, nonce: NONCE }, offset).update(bytes.subarray(offset))
      expect(part.equals(whole.subarray(offset))).toBe(true)
    }
    // Beyond 64 GiB the counter does not fit into 32 bits.
    const far = 2 ** 36 + 32
    const counter = Buffer.concat([NONCE, Buffer.from('0000000100000002', 'hex')])
    const [own] = [createContentCipher({ key: KEY, nonce: NONCE }, far).update(Buffer.alloc(16))]
    const nonce = counter.subarray(0, 8)
    expect(own.equals(createContentCipher({ key: KEY, nonce }, far + 16).update(Buffer.alloc(16)))).toBe(false)
  })

  it('has chunks that grow to one mebibyte', () => {
    const ends: number[] = []
    for (let at = 0; at < 7_000_000; at = chunkEnd(at)) ends.push(chunkEnd(at) / KIB)
    expect(ends).toEqual([128, 384, 768, 1280, 1920, 2688, 3584, 4608, 5632, 6656, 7680])
    expect(partEnd(0, 10_000, 128 * KIB)).toBe(10_000)
    expect(partEnd(0, 10_000_000, 1280 * KIB)).toBe(1280 * KIB)
    expect(partEnd(1280 * KIB, 10_000_000, 1)).toBe(1920 * KIB)
  })
})

describe('keys and attributes', () => {
  it('are packed and unpacked', () => {
    const key = { key: KEY, nonce: NONCE, mac: Buffer.from('1122334455667788', 'hex') }
    expect(unpackFileKey(packFileKey(key))).toEqual(key)
    expect(packFileKey(key).subarray(16)).toEqual(Buffer.concat([key.nonce, key.mac]))
  })

  it('keep names of any script, and are refused with another key', () => {
    const attributes = { n: 'Grüße 文件 🎉 "x".txt', fav: 1 }
    const encrypted = encryptAttributes(KEY, attributes)
    expect(decryptAttributes(KEY, encrypted)).toEqual(attributes)
    expect(decryptAttributes(Buffer.alloc(16, 1), encrypted)).toBeNull()
    for (const text of ['', 'AAAA', encrypted.slice(0, -2)]) expect(decryptAttributes(KEY, text)).toBeNull()
  })

  it('of an entry without a usable key are not shown as something else', () => {
    const node = readNode({ h: 'abcdefgh', p: 'root0000', t: 0, a: 'AAAA', k: 'someone:AAAA', ts: 1_700_000_000, s: 5 })
    const keys = { master: KEY, user: 'me', shares: new Map() }
    if (!node) throw new Error('It is a node.')
    const entry = entryOf(node, keys)
    expect(entry).toMatchObject({ name: 'Cannot be decrypted (abcdefgh)', size: 5, kind: 'file' })
    expect(entry.details?.rights).toMatchObject({ read: false, rename: false, delete: true })
    expect(entryOf({ ...node, t: NODE.trash }, keys).name).toBe('Rubbish bin')
  })

  it('of a session are decrypted with the private key of the account', () => {
    const session = Buffer.from(bytesOf(43))
    session[0] = 0x81
    const encrypted = Buffer.from(encryptSession(session, rsa()), 'base64url')
    expect(decryptSessionId(encrypted, rsa().privateKey)).toBe(toBase64(session))
    // A session can begin with a zero.
    session[0] = 0
    const other = Buffer.from(encryptSession(session, rsa()), 'base64url')
    expect(decryptSessionId(other, rsa().privateKey)).toBe(toBase64(session))
    expect(() => decryptSessionId(encrypted, Buffer.alloc(40))).toThrow('incomplete')
  })
})

describe('a challenge', () => {
  const signal = new AbortController().signal

  it('is solved with a prefix that the server can check', async () => {
    const token = toBase64(bytesOf(48))
    const [version, same, prefix = ''] = ((await solveHashcash(`1:255:1700000000:${token}`, signal)) ?? '').split(':')
    expect([version, same]).toEqual(['1', token])
    const input = Buffer.concat([Buffer.from(prefix, 'base64url'), Buffer.alloc(262_144 * 48, bytesOf(48))])
    expect(Number.parseInt(digestOf('sha256', input).slice(0, 8), 16)).toBeLessThanOrEqual(127 * 2 ** 24)
  })

  it.each(['', '2:255:1:AAAA', '1:256:1:AAAA', '1:x:1:AAAA', '1:255:1:', `1:255:1:${'A'.repeat(100)}`, '1:3:1:AAAA'])(
    'is refused when it is not understood, or would take minutes: %s',
    async (header) => {
      expect(await solveHashcash(header, signal)).toBeNull()
    },
  )
})

describe('the reply with all nodes', () => {
  const NODES = [{ h: 'a', k: 'x:[{"\\"' }, { h: 'b', deep: { f: [{ h: 'inner' }] } }, { h: 'c' }]
  const REPLY = JSON.stringify([{ u: [{ f: 1 }], f: NODES, ok: [{ h: 'share' }], sn: 'abc', s: [[{ h: 'not' }]] }])

  it.each([1, 2, 3, 7, 1000])('is read in pieces of %d bytes', async (step) => {
    const bytes = Buffer.from(REPLY)
    const pieces = Array.from({ length: Math.ceil(bytes.length / step) }, (_, at) =>
      bytes.subarray(at * step, (at + 1) * step),
    )
    const seen: unknown[] = []
    const rest = await readTreeReply(Readable.from(pieces), (node) => seen.push(node))
    expect(seen).toEqual(NODES)
    expect(JSON.parse(rest)).toEqual([{ ...JSON.parse(REPLY)[0], f: [] }])
  })

  it.each(['-15', '[-3]', '[]', '<html>', ''])('can be something else: %s', async (text) => {
    expect(await readTreeReply(Readable.from([Buffer.from(text)]), () => undefined)).toBe(text)
  })
})
