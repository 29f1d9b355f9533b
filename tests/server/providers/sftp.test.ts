import { EventEmitter } from 'node:events'
import type { SFTPWrapper } from 'ssh2'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { EntryRef } from '../../../server/providers/driver.ts'
import { ProviderError } from '../../../server/providers/errors.ts'
import { createChannel } from '../../../server/providers/sftp/channel.ts'
import { sftpError, sftpErrorCode } from '../../../server/providers/sftp/errors.ts'
import { checkLogin, loginOf } from '../../../server/providers/sftp/login.ts'
import { pathOf, targetOf } from '../../../server/providers/sftp/paths.ts'
import { readSession, sessionText } from '../../../server/providers/sftp/session.ts'
import { HostRefused } from '../../../server/providers/shared/hostGuard.ts'
import { collect, rejection } from '../../conformance/kit.ts'
import { type HostileServer, startHostileServer } from '../../fakes/sftp/hostileServer.ts'
import { call } from './layersSetup.ts'

describe('an error of a server', () => {
  it.each([
    [{ code: 2 }, 'NotFound'],
    [{ code: 3 }, 'Forbidden'],
    [{ code: 4, message: 'Failure' }, 'Transient'],
    [{ code: 4, message: 'write: No space left on device' }, 'QuotaExceeded'],
    [{ code: 4, message: 'Disk quota exceeded' }, 'QuotaExceeded'],
    [{ code: 4, message: 'File name too long' }, 'BadName'],
    [{ code: 7 }, 'Transient'],
    [{ code: 8 }, 'Permanent'],
    [{ code: 11 }, 'Conflict'],
    [{ code: 15 }, 'QuotaExceeded'],
    [{ code: 99 }, 'Permanent'],
    [{ code: 'ECONNREFUSED' }, 'Transient'],
    [{ level: 'client-authentication', message: 'All configured authentication methods failed' }, 'AuthExpired'],
    [{ level: 'client-timeout' }, 'Transient'],
    [{}, 'Transient'],
  ] as const)('%o is %s', (error, code) => {
    expect(sftpErrorCode(error)).toBe(code)
  })

  it('is reported without the paths that the server says', () => {
    const error = sftpError('stat', Object.assign(new Error('/home/maren/secret.txt: no such file'), { code: 2 }))
    expect(error).toBeInstanceOf(ProviderError)
    expect(error.message).toBe('sftp stat: NotFound: It does not exist on the server.')
    expect(sftpError('stat', error)).toBe(error)
    expect(sftpError('stat', new HostRefused('private')).code).toBe('Forbidden')
    expect(sftpError('stat', null).code).toBe('Transient')
  })
})

describe('what is typed in', () => {
  const SHA = `SHA256:${'a'.repeat(43)}`

  it('is complete, and a fingerprint is found in a line of ssh-keygen', () => {
    expect(checkLogin({ host: 'files.example.org', user: 'maren', password: 'x' })).toEqual([])
    const fields = {
      host: '2001:db8::1',
      user: 'maren',
      privateKey: 'x',
      port: '2222',
      fingerprint: `256 ${SHA} host (RSA)`,
    }
    expect(checkLogin(fields)).toEqual([])
    expect(loginOf(fields)).toMatchObject({ port: 2222, fingerprint: SHA, password: null, folder: null })
    expect(loginOf({ host: 'a', user: 'b' })).toMatchObject({ port: 22, fingerprint: null })
  })

  it.each([
    [{ host: 'sftp://files.example.org' }, 'host'],
    [{ host: 'maren@files.example.org' }, 'host'],
    [{ port: '0' }, 'port'],
    [{ port: '65536' }, 'port'],
    [{ fingerprint: 'SHA256:short' }, 'fingerprint'],
    [{ fingerprint: `${SHA}a` }, 'fingerprint'],
  ])('is refused: %o', (wrong, field) => {
    const values = { host: 'files.example.org', user: 'maren', password: 'x', ...wrong } as Record<string, string>
    expect(checkLogin(values).map((problem) => problem.field)).toEqual([field])
  })
})

describe('a path', () => {
  it('is below the folder of the account', () => {
    expect(pathOf('/srv', 'a/b')).toBe('/srv/a/b')
    expect(pathOf('/', 'a')).toBe('/a')
    expect(pathOf('/srv', '.')).toBe('/srv')
    for (const ref of ['..', 'a/..', '/a', 'a/', '', 'a\0b']) expect(() => pathOf('/srv', ref)).toThrow('NotFound')
  })

  it.each([
    ['/srv', 'a/link', '../b', 'b'],
    ['/srv', 'a/link', '/srv/c/./d', 'c/d'],
    ['/srv', 'a/link', '../../srvx', null],
    ['/srv', 'link', '.', null],
    ['/srv', 'link', '/etc/passwd', null],
    ['/', 'a/link', '../../../b', 'b'],
  ])('in %s where %s is a link to %s leads to %s', (base, link, target, expected) => {
    expect(targetOf(base, link, target)).toBe(expected)
  })
})

describe('a saved session', () => {
  it('is read as it was written, and nothing else is one', () => {
    const session = { part: 'p' as EntryRef, parent: '.' as EntryRef, name: 'n', size: 3, modifiedAt: 5 }
    expect(readSession(sessionText(session))).toEqual(session)
    for (const text of [null, '', 'null', '[]', '{}', '{"part":1}', sessionText({ ...session, size: '3' as never })]) {
      expect(readSession(text)).toBeNull()
    }
  })
})

describe('a server that does not answer', () => {
  afterEach(() => void vi.useRealTimers())

  it('is lost after a minute without any answer', async () => {
    vi.useFakeTimers()
    const end = vi.fn()
    const channel = createChannel(new EventEmitter() as SFTPWrapper, end)
    let answer = (): void => undefined
    const answered = channel.ask<void>((_sftp, done) => {
      answer = () => done(null)
    })
    const waiting = rejection(
      channel.ask(() => undefined),
      'Transient',
    )
    vi.advanceTimersByTime(59_000)
    answer()
    await answered
    vi.advanceTimersByTime(59_000)
    expect(channel.isOpen()).toBe(true)
    vi.advanceTimersByTime(1_000)
    await waiting
    expect([channel.isOpen(), end.mock.calls.length]).toEqual([false, 1])
    await rejection(
      channel.ask(() => undefined),
      'Transient',
    )
  })
})

describe('a hostile server', () => {
  let server: HostileServer | null = null
  afterEach(() => server?.close())

  it.each([
    ['names without end', 6, (answer: number) => Array.from({ length: 1000 }, (_, at) => `${answer}-${at}`)],
    ['names as long as an answer', 13, (answer: number) => [`${answer}`.padEnd(100_000, 'x')]],
    ['answers without names', 6, () => []],
  ])('that lists %s is left', async (_words, answers, names) => {
    server = await startHostileServer({ names })
    await rejection(server.driver.list(call(), server.driver.root, null), 'Permanent')
    expect(server.answers).toBe(answers)
  })

  it('that lists names which are paths cannot lead elsewhere', async () => {
    server = await startHostileServer({
      names: (answer) => (answer === 0 ? ['../up', '/etc', '..', 'a\0b', '', 'fine'] : null),
    })
    const { items } = await server.driver.list(call(), server.driver.root, null)
    expect(items.map(({ name }) => name)).toEqual(['fine'])
  })

  it.each([
    ['an answer that is too long', () => Buffer.alloc(400_000)],
    ['no bytes', () => Buffer.alloc(0)],
  ])('that sends %s breaks the download', async (_words, read) => {
    server = await startHostileServer({ size: 10, read })
    const { body } = await server.driver.get(call(), 'file' as EntryRef)
    await rejection(collect(body), 'Transient')
  })

  it('that sends more bytes than were asked for has no influence on the length of a download', async () => {
    server = await startHostileServer({ size: 10, read: (length) => Buffer.alloc(length + 5) })
    const { body } = await server.driver.get(call(), 'file' as EntryRef)
    expect(await collect(body)).toHaveLength(10)
  })

  it.each(['other attributes for an open file', 'attributes that change'])('with %s', async (words) => {
    const isChanging = words.includes('change')
    let reads = 0
    server = await startHostileServer({
      size: 10,
      openModifiedAt: (answer) => (isChanging ? answer : 0) + 7,
      read: (length) => {
        reads += 1
        return Buffer.alloc(length, reads)
      },
    })
    const { body } = await server.driver.get(call(), 'file' as EntryRef)
    if (isChanging) await rejection(collect(body), 'Transient')
    // Read again, because the first bytes may be older than the attributes.
    else expect(await collect(body)).toEqual(Buffer.alloc(10, 2))
    expect(reads).toBe(2)
  })

  it('whose files are larger than any disk is read only as far as it sends', async () => {
    server = await startHostileServer({ size: 2 ** 60 })
    const { body } = await server.driver.get(call(), 'file' as EntryRef)
    await rejection(collect(body), 'Transient')
  })
})
