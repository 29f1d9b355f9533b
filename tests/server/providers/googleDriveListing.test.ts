import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type ChangePage,
  type Driver,
  type Entry,
  type EntryRef,
  type Page,
  SHARED_WITH_ME,
} from '../../../server/providers/driver.ts'
import { EXPORT_MEDIA_TYPES } from '../../../server/providers/exportTypes.ts'
import { type GoogleStage, startGoogle } from './googleStage.ts'
import { bytesOf, call, contentOf, failure, newEntry, progressOf } from './providerHarness.ts'

const TYPE = 'application/vnd.google-apps.'
const OTHER = 'ben@example.com'

let stage: GoogleStage
let drive: Driver

beforeEach(async () => {
  stage = await startGoogle({ pageSize: 4 })
  stage.google.addUser({ email: OTHER, name: 'Ben Example', quotaBytes: null })
  drive = stage.open()
})
afterEach(async () => {
  expect(stage.bugs()).toEqual([])
  await stage.close()
})

const page = (cursor: string | null): Promise<Page<Entry>> =>
  drive.listAll?.(call(), cursor) ?? Promise.reject(new Error('It cannot list everything.'))

const changesAt = (cursor: string | null): Promise<ChangePage> =>
  drive.changes?.(call(), cursor) ?? Promise.reject(new Error('It has no changes.'))

async function everything(cursor: string | null = null): Promise<readonly Entry[]> {
  const { items, cursor: next } = await page(cursor)
  return next === null ? items : [...items, ...(await everything(next))]
}

async function named(name: string): Promise<Entry> {
  const found = (await everything()).find((entry) => entry.name === name)
  if (!found) throw new Error(`${name} is not listed.`)
  return found
}

async function plant(name: string, more: { mimeType?: string; parent?: string; target?: string; user?: string } = {}) {
  const { id = '' } = await stage.google.plant({ user: stage.user, name, size: 3, ...more })
  return id as EntryRef
}

describe('a listing of everything', () => {
  it('has the folders first, then the files, and no root', async () => {
    stage.google.listRoot({ on: true })
    const [outer, files] = [await plant('outer', { mimeType: `${TYPE}folder` }), [] as string[]]
    const inner = await plant('inner', { mimeType: `${TYPE}folder`, parent: outer })
    for (let index = 0; index < 6; index += 1) files.push(await plant(`file ${index}`, { parent: inner }))
    const all = await everything()
    expect(all.slice(0, 2).map(({ ref }) => ref)).toEqual(expect.arrayContaining([outer, inner]))
    expect(all.slice(2).map(({ ref }) => ref)).toEqual(expect.arrayContaining(files))
    expect(all).toHaveLength(8)
    const root = await drive.stat(call(), drive.root)
    expect(root.ref).not.toBe(drive.root)
    expect((await named('outer')).details?.parent).toBe(root.ref)
    expect((await named('file 1')).details?.parent).toBe(inner)
  })

  it('that Drive does not search completely is Transient, and complete when it is repeated', async () => {
    for (let index = 0; index < 6; index += 1) await plant(`file ${index}`)
    const { cursor } = await page('files:')
    for (const place of [null, 'files:', cursor]) {
      stage.plan({ kind: 'incomplete', operation: 'drive.files.list' })
      await failure(page(place), 'Transient')
    }
    expect(await everything()).toHaveLength(6)
  })

  it('leaves out what came into the trash while it was read', async () => {
    for (let index = 0; index < 6; index += 1) await plant(`file ${index}`)
    const first = await page('files:')
    const trashed = (await everything(first.cursor))[0]?.ref ?? ''
    await stage.alter({ id: trashed, trashed: true })
    expect((await everything(first.cursor)).map(({ ref }) => ref)).not.toContain(trashed)
    await failure(drive.stat(call(), trashed as EntryRef), 'NotFound')
  })

  it('begins again when Drive does not know a cursor any more', async () => {
    for (let index = 0; index < 6; index += 1) await plant(`file ${index}`)
    const { cursor } = await page('files:')
    expect((await page(cursor)).items).toHaveLength(2)
    stage.google.resetPages()
    await failure(page(cursor), 'CursorReset')
    for (const wrong of ['', 'folders', 'folders:', 'files', 'nonsense:token', 'files:nonsense', 'folders:~!!~x']) {
      await failure(page(wrong), 'CursorReset')
    }
  })
})

describe('details', () => {
  it('of documents: no size, what they are, and where they can be opened', async () => {
    const kinds = [
      ['document', 'DOCUMENT', 'document'],
      ['spreadsheet', 'SPREADSHEET', 'spreadsheets'],
      ['presentation', 'PRESENTATION', 'presentation'],
      ['drawing', 'DRAWING', 'drawings'],
      ['form', 'OTHER', null],
    ] as const
    for (const [type, nativeKind, editor] of kinds) {
      const ref = await plant(type, { mimeType: TYPE + type })
      const entry = await named(type)
      expect(entry).toMatchObject({ ref, kind: 'file', size: null, hash: null })
      expect(entry.details).toMatchObject({ mimeType: TYPE + type, nativeKind, target: null, rights: { read: true } })
      const host = editor === null ? 'drive.google.com/file' : `docs.google.com/${editor}`
      expect(entry.details?.webUrl?.startsWith(`https://${host}/d/${ref}/`)).toBe(true)
      await failure(drive.get(call(), ref), 'Forbidden')
    }
    // The types that are offered are Drive's own: those of the field `exportLinks`.
    for (const [type] of kinds) {
      const { ref, details } = await named(type)
      const links = stage.google.exportLinks({ id: ref })
      expect(details?.exportTypes.filter((one) => !links.includes(EXPORT_MEDIA_TYPES[one]))).toEqual([])
      expect(details?.exportTypes.length === 0).toBe(links.length === 0)
    }
  })

  it('of a document: another revision after a change, and the same in the changes', async () => {
    const ref = await plant('text', { mimeType: `${TYPE}document` })
    const before = await named('text')
    const { cursor } = await changesAt(null)
    await stage.google.alter({ user: stage.user, id: ref, name: 'text 2' })
    const after = await named('text 2')
    expect(after.details?.revision).not.toBe(before.details?.revision)
    expect((await changesAt(cursor)).changes).toEqual([{ ref, entry: after }])
  })

  it('of shortcuts: what they point to, even when that is gone', async () => {
    const target = await plant('target')
    await plant('shortcut', { mimeType: `${TYPE}shortcut`, target })
    const expected = { nativeKind: 'SHORTCUT', target }
    expect(await named('shortcut')).toMatchObject({ kind: 'file', size: null, hash: null, details: expected })
    await drive.delete(call(), target)
    expect((await named('shortcut')).details).toMatchObject(expected)
  })

  it('of stored files: media type, time of creation and a revision of the content alone', async () => {
    const stored = await drive.put(call(), newEntry(drive.root, 'a', 5), contentOf(bytesOf(5)), progressOf())
    expect(await named('a')).toEqual(stored)
    expect(stored.details).toMatchObject({ mimeType: 'application/octet-stream', nativeKind: null })
    expect(stored.details?.createdAt?.getTime()).toBeGreaterThan(Date.now() - 600_000)
    const renamed = await drive.move?.(call(), stored.ref, { name: 'b' })
    expect(renamed?.details?.revision).toBe(stored.details?.revision)
    await stage.alter({ id: stored.ref, text: 'other' })
    expect((await named('b')).details?.revision).not.toBe(stored.details?.revision)
  })
})

describe('what others share with the user', () => {
  const share = (id: string, role: 'reader' | 'writer' | null) =>
    stage.google.share({ user: OTHER, id, with: stage.user, role })

  it('is listed in the tree of what is shared, and its content in its folder', async () => {
    const folder = await plant('shared', { user: OTHER, mimeType: `${TYPE}folder` })
    const inside = await plant('inside', { user: OTHER, parent: folder })
    await plant('private', { user: OTHER })
    share(folder, 'reader')
    const all = await everything()
    expect(all.map(({ name }) => name).toSorted()).toEqual(['inside', 'shared'])
    expect((await named('shared')).details?.parent).toBe(SHARED_WITH_ME)
    expect((await named('inside')).details?.parent).toBe(folder)
    expect((await drive.list(call(), folder, null)).items.map(({ ref }) => ref)).toEqual([inside])
  })

  it('can be used as far as its owner allows', async () => {
    const ref = await plant('shared', { user: OTHER })
    const no = { write: false, rename: false, move: false, delete: false, share: false }
    share(ref, 'reader')
    expect((await named('shared')).details?.rights).toEqual({ ...no, read: true })
    await stage.google.alter({ user: OTHER, id: ref, restricted: true })
    expect((await named('shared')).details?.rights).toEqual({ ...no, read: false })
    await failure(drive.get(call(), ref), 'Forbidden')
    share(ref, 'writer')
    const rights = { read: true, write: true, rename: true, move: true, delete: false, share: true }
    expect((await named('shared')).details?.rights).toEqual(rights)
    await drive.get(call(), ref).then(({ body }) => body.destroy())
  })

  it('is in the changes when it comes, changes and goes', async () => {
    const ref = await plant('shared', { user: OTHER })
    const begin = (await changesAt(null)).cursor
    share(ref, 'reader')
    const came = await changesAt(begin)
    expect(came.changes).toEqual([{ ref, entry: await named('shared') }])
    await stage.google.alter({ user: OTHER, id: ref, text: 'other' })
    const changed = await changesAt(came.cursor)
    expect(changed.changes).toMatchObject([{ ref, entry: { size: 5 } }])
    share(ref, null)
    expect((await changesAt(changed.cursor)).changes).toEqual([{ ref, entry: null }])
    expect(await everything()).toEqual([])
  })
})
