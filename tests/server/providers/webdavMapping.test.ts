import { describe, expect, it } from 'vitest'
import type { EntryRef } from '../../../server/providers/driver.ts'
import {
  canonicalPath,
  childRef,
  hrefPath,
  isFolderPath,
  isNameable,
  nameOf,
  parentOf,
} from '../../../server/providers/webdav/address.ts'
import { davError, davErrorCode, exceptionIn } from '../../../server/providers/webdav/errors.ts'
import { checkName } from '../../../server/providers/webdav/names.ts'
import { isMarked, type Marks, readSession } from '../../../server/providers/webdav/session.ts'

const ref = (text: string) => text as EntryRef

describe('errors of WebDAV servers', () => {
  it.each([
    [301, null, 'Transient'],
    [400, null, 'Permanent'],
    [400, 'InvalidPath', 'BadName'],
    [400, 'constructor', 'Permanent'],
    [401, null, 'AuthExpired'],
    [403, null, 'Forbidden'],
    [404, null, 'NotFound'],
    [405, null, 'Permanent'],
    [409, null, 'NotFound'],
    [412, null, 'Conflict'],
    [413, null, 'TooLarge'],
    [423, 'FileLocked', 'Transient'],
    [429, null, 'RateLimited'],
    [500, null, 'Transient'],
    [501, null, 'Permanent'],
    [503, 'ServiceUnavailable', 'Transient'],
    [507, null, 'QuotaExceeded'],
    [509, null, 'RateLimited'],
  ])('%s %s is %s', (status, exception, code) => {
    expect(davErrorCode(status, exception)).toBe(code)
  })

  it('contain no text of the server but the class of an exception', () => {
    const body =
      '<d:error xmlns:s="x"><s:exception>OCA\\DAV\\Connector\\Sabre\\Exception\\InvalidPath</s:exception><s:message>/secret.txt</s:message></d:error>'
    expect(exceptionIn(body)).toBe('InvalidPath')
    expect(exceptionIn(`${' '.repeat(20_000)}${body}`)).toBeNull()
    expect(exceptionIn('<s:exception>a b</s:exception>')).toBeNull()
    const error = davError(400, 'InvalidPath', { provider: 'webdav', operation: 'put' }, 5000)
    expect(error).toMatchObject({ code: 'BadName', where: { status: 400 }, detail: { retryAfterMs: 5000 } })
    expect(error.message).not.toContain('secret')
  })
})

describe('paths', () => {
  it('are the same however a server encodes them', () => {
    const path = '/dav/a%20b/%C3%BC%2B(1)@x.txt'
    for (const href of [
      '/dav/a b/ü+(1)@x.txt',
      '/dav/a%20b/%c3%bc%2b%281%29%40x.txt',
      'https://other.example:8443/dav/a%20b/%C3%BC+(1)@x.txt',
    ]) {
      expect(decodeURIComponent(hrefPath(href))).toBe(decodeURIComponent(path))
      expect(hrefPath(href)).toBe(hrefPath(path))
    }
    expect(hrefPath('http://host.example')).toBe('/')
  })

  it('keep bytes that are not UTF-8, and a lone percent sign', () => {
    expect(canonicalPath('/caf%e9%20x/100%')).toBe('/caf%E9%20x/100%25')
    expect(canonicalPath('/caf%E9%20x/100%25')).toBe('/caf%E9%20x/100%25')
    expect([nameOf('/caf%E9'), nameOf('/a/100%25/'), nameOf('/')]).toEqual(['caf�', '100%', ''])
  })

  it('have a parent, up to the root', () => {
    expect(parentOf('/a/b.txt')).toBe('/a/')
    expect(parentOf('/a/b/')).toBe('/a/')
    expect(parentOf('/a/')).toBe('/')
    expect(parentOf('/')).toBe('/')
    expect(childRef(ref('/a/'), 'x?#%.txt', 'file')).toBe('/a/x%3F%23%25.txt')
  })

  it('of cursors and lists lead nowhere else', () => {
    for (const text of ['', 'a/', '/a', '/a b/', '/%2f/', '/../', '/a/../../', '/./', 7, null])
      expect(isFolderPath(text)).toBe(false)
    expect(isFolderPath('/a%20b/')).toBe(true)
    for (const text of ['/%2E%2E', '/..', '/.', '/a%2Fb', '/a%00', '/']) expect(isNameable(text)).toBe(false)
    for (const text of ['/...', '/a..b', '/.x']) expect(isNameable(text)).toBe(true)
  })
})

describe('names', () => {
  it('are refused where no server takes them or no list can contain them', () => {
    const bad = ['', '.', '..', 'a/b', 'a\0b', 'a\nb', 'a\u007fb', 'a\ufffe', '\ud800', 'ü'.repeat(128)]
    for (const name of [...bad, `.skypool-${'0'.repeat(32)}.tmp`]) {
      expect(() => checkName(name, 'put')).toThrow(expect.objectContaining({ code: 'BadName' }))
    }
    for (const name of ['a', '...', 'ü'.repeat(127), 'a\\b', 'x?#%', ' '])
      expect(() => checkName(name, 'put')).not.toThrow()
  })
})

describe('a session', () => {
  const found = (more: object) => ({
    fileId: null,
    entry: {
      ref: ref('/a'),
      name: 'a',
      kind: 'file' as const,
      size: 5,
      modifiedAt: new Date(1000),
      hash: null,
      ...more,
    },
  })
  const marks: Marks = { fileId: null, revision: null, modified: new Date(1000).toISOString() }

  it('recognises its file by id, revision or time, and by its size', () => {
    expect(isMarked(found({}), 5, marks)).toBe(true)
    expect(isMarked(found({}), 6, marks)).toBe(false)
    expect(isMarked(found({ modifiedAt: new Date(2000) }), 5, marks)).toBe(false)
    expect(isMarked({ ...found({}), fileId: '8' }, 5, { ...marks, fileId: '7' })).toBe(false)
    expect(isMarked({ ...found({ modifiedAt: null }), fileId: '7' }, 5, { ...marks, fileId: '7' })).toBe(true)
    expect(isMarked(found({ modifiedAt: null }), 5, { fileId: null, revision: null, modified: null })).toBe(false)
  })

  it('is nothing else', () => {
    for (const text of [null, '', '{', '7', 'null', '[]', '{"parent":"/","name":"a"}'])
      expect(readSession(text)).toBeNull()
    const good = { parent: '/', name: 'a', size: 5, temporary: '/t', chunks: null, stored: null }
    expect(readSession(JSON.stringify(good))).toEqual(good)
    for (const wrong of [{ size: '5' }, { chunks: 7 }, { chunks: {} }, { stored: 'x' }, { temporary: null }]) {
      expect(readSession(JSON.stringify({ ...good, ...wrong }))).toBeNull()
    }
  })
})
