import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Driver, EntryRef } from '../../server/providers/driver.ts'
import { DAV_LOGIN, lacksServer } from '../fakes/dav/servers.ts'
import {
  bytesOf,
  call,
  contentOf,
  expectSame,
  listAll,
  listEverything,
  progressFrom,
  put,
  read,
  rejection,
} from './kit.ts'
import { CHUNK, closeServersAfterAll, type DavStage, davStage } from './webdavStage.ts'

closeServersAfterAll()

/** What other programs store on the server's disk. */
function plant({ disk }: DavStage, path: string, text = path): void {
  mkdirSync(join(disk, path, '..'), { recursive: true, mode: 0o777 })
  writeFileSync(join(disk, path), text)
}

const temporaries = ({ disk }: DavStage): string[] => readdirSync(disk).filter((name) => name.startsWith('.skypool-'))
const counted = ({ emulators }: DavStage, operation: string): number =>
  emulators.log().filter((one) => one.operation === operation).length

for (const name of ['apache', 'nginx', 'rclone'] as const) {
  const missing = lacksServer(name)
  describe.skipIf(missing !== null)(`a WebDAV upload at ${name} ${missing ?? ''}`, () => {
    it('that is cut leaves nothing under its name, and starts over', async () => {
      const stage = await davStage(name)
      const [driver, bytes, progress] = [stage.open(), bytesOf(3 * CHUNK), progressFrom()]
      stage.emulators.plan({ kind: 'cutUp', operation: 'PUT', bytes: CHUNK })
      await rejection(put(driver, 'cut.bin', bytes, { progress }), 'Transient')
      expect(await listAll(driver)).toEqual([])
      expect(await listEverything(driver)).toEqual([])
      expect(readdirSync(stage.disk)).not.toContain('cut.bin')
      const { ref } = await put(stage.open(), 'cut.bin', bytes, { progress: progressFrom(progress.saved) })
      expectSame(await read(driver, ref), bytes)
      expect(temporaries(stage)).toEqual([])
      await stage.emulators.close()
    })

    it('whose first response is lost is not sent again', async () => {
      const stage = await davStage(name)
      const [driver, bytes, progress] = [stage.open(), bytesOf(CHUNK), progressFrom()]
      stage.emulators.plan({ kind: 'lostReply', operation: 'PUT' })
      await rejection(put(driver, 'lost.bin', bytes, { progress }), 'Transient')
      const content = contentOf(bytes)
      await put(stage.open(), 'lost.bin', bytes, { content, progress: progressFrom(progress.saved) })
      expect(content.opened).toEqual([])
      expect(readdirSync(stage.disk)).toEqual(['lost.bin'])
      await stage.emulators.close()
    })

    it('that is abandoned leaves nothing, and takes no other file for its own', async () => {
      const stage = await davStage(name)
      const [driver, bytes, progress] = [stage.open(), bytesOf(CHUNK), progressFrom()]
      stage.emulators.plan({ kind: 'reset', operation: 'MOVE' })
      await rejection(put(driver, 'given up.bin', bytes, { progress }), 'Transient')
      expect(temporaries(stage)).toHaveLength(1)
      plant(stage, 'given up.bin', 'of another program')
      await driver.abandon(call(), progress.saved ?? '')
      expect(readdirSync(stage.disk)).toEqual(['given up.bin'])
      const again = put(stage.open(), 'given up.bin', bytes, { progress: progressFrom(progress.saved) })
      await rejection(again, 'Conflict')
      expect(readFileSync(join(stage.disk, 'given up.bin'), 'utf8')).toBe('of another program')
      await stage.emulators.close()
    })

    it('of a name that is taken at the last moment replaces nothing', async () => {
      const stage = await davStage(name)
      const driver = stage.open()
      const progress = {
        ...progressFrom(),
        // The second time is just before the rename.
        save: async (session: string) => void (session.includes('"modified"') && plant(stage, 'taken.bin', 'first')),
      }
      await rejection(put(driver, 'taken.bin', bytesOf(CHUNK), { progress }), 'Conflict')
      expect(readdirSync(stage.disk)).toEqual(['taken.bin'])
      expect(readFileSync(join(stage.disk, 'taken.bin'), 'utf8')).toBe('first')
      await stage.emulators.close()
    })
  })

  describe.skipIf(missing !== null)(`a WebDAV folder at ${name} ${missing ?? ''}`, () => {
    it('is moved, copied into and deleted with everything in it', async () => {
      const stage = await davStage(name)
      const driver = stage.open()
      const folder = await driver.ensureFolder(call(), driver.root, 'Ünder "one" & <two> #1?')
      const inner = await driver.ensureFolder(call(), folder, 'inner')
      await put(driver, 'deep.txt', bytesOf(5), { parent: inner })
      const moved = await driver.move?.(call(), folder, { name: 'after 100%' })
      expect(moved).toMatchObject({ kind: 'folder', name: 'after 100%', ref: '/after%20100%25/' })
      const all = (await listEverything(driver)).map(({ ref }) => decodeURIComponent(ref.replace('%25', '%2525')))
      expect(all).toEqual(['/after 100%25/', '/after 100%25/inner/', '/after 100%25/inner/deep.txt'])
      await rejection(
        Promise.resolve(driver.move?.(call(), moved?.ref ?? folder, { parent: moved?.ref ?? folder })),
        'Permanent',
      )
      await driver.ensureFolder(call(), driver.root, 'taken')
      await rejection(Promise.resolve(driver.move?.(call(), moved?.ref ?? folder, { name: 'taken' })), 'Conflict')
      await driver.delete(call(), moved?.ref ?? folder)
      expect(readdirSync(stage.disk)).toEqual(['taken'])
      await rejection(driver.delete(call(), driver.root), 'Forbidden')
      await stage.emulators.close()
    })

    it('is no file, and a file is no folder', async () => {
      const stage = await davStage(name)
      const driver = stage.open()
      plant(stage, 'file')
      await driver.ensureFolder(call(), driver.root, 'folder')
      const refs = ['/file/', '/folder'] as EntryRef[]
      for (const ref of refs) await rejection(driver.stat(call(), ref), 'NotFound')
      await rejection(listAll(driver, '/file/' as EntryRef), 'NotFound')
      await rejection(driver.ensureFolder(call(), driver.root, 'file'), 'Conflict')
      await rejection(put(driver, 'folder', bytesOf(5)), 'Conflict')
      expect(temporaries(stage)).toEqual([])
      await stage.emulators.close()
    })

    it('is listed with everything that other programs stored, whatever its name', async () => {
      const stage = await davStage(name)
      const names = [
        'a+b.txt',
        "it's [1] & {2}.txt",
        '100% #1?.txt',
        '文件 🎉.txt',
        'e\u0301.txt',
        'é.txt',
        '.hidden',
        'tab\\back',
      ]
      for (const one of names) plant(stage, one)
      // nginx does not list them.
      if (name === 'nginx') names.splice(names.indexOf('.hidden'), 1)
      const listed = await listAll(stage.open())
      expect(listed.map((entry) => entry.name).toSorted()).toEqual(names.toSorted())
      for (const { ref, name: own } of listed) expect((await read(stage.open(), ref)).toString()).toBe(own)
      await stage.emulators.close()
    })

    it('is not taken for empty when its list is cut, refused or something else', async () => {
      const stage = await davStage(name)
      const driver = stage.open()
      for (let at = 0; at < 30; at += 1) plant(stage, `file ${at}.txt`)
      const faults = [
        { kind: 'cutDown', bytes: 3000 },
        { kind: 'html' },
        { kind: 'redirect', location: 'https://example.org/' },
        { kind: 'serverError' },
      ] as const
      for (const fault of faults) {
        stage.emulators.plan({ ...fault, operation: 'PROPFIND' })
        await rejection(driver.list(call(), driver.root, null), 'Transient')
        stage.emulators.plan({ ...fault, operation: 'PROPFIND' })
        await rejection(Promise.resolve(driver.listAll?.(call(), null)), 'Transient')
      }
      expect(await listEverything(driver)).toHaveLength(30)
      await stage.emulators.close()
    })
  })
}

describe.skipIf(lacksServer('apache') !== null)('everything at a WebDAV server', () => {
  async function planted(server: 'apache' | 'nginx' = 'apache'): Promise<{ stage: DavStage; driver: Driver }> {
    const stage = await davStage(server)
    for (let folder = 0; folder < 12; folder += 1) {
      for (let at = 0; at < 7; at += 1) plant(stage, `f${folder}/g${at % 2}/file ${at}.txt`)
    }
    return { stage, driver: stage.open() }
  }

  it('is listed with one request per folder', async () => {
    const { stage, driver } = await planted()
    stage.emulators.resetLog()
    const entries = await listEverything(driver)
    expect(entries).toHaveLength(12 + 24 + 84)
    expect(new Set(entries.map(({ ref }) => ref)).size).toBe(entries.length)
    expect(counted(stage, 'PROPFIND')).toBe(1 + 12 + 24)
    await stage.emulators.close()
  })

  it('is listed on by another process from every place, though folders have gone', async () => {
    const { stage, driver } = await planted()
    const all = (await listEverything(driver)).map(({ ref }) => ref)
    let cursor: string | null = null
    const seen: EntryRef[] = []
    do {
      const page: Awaited<ReturnType<NonNullable<Driver['listAll']>>> | undefined = await stage
        .open()
        .listAll?.(call(), cursor)
      seen.push(...(page?.items ?? []).map(({ ref }) => ref))
      cursor = page?.cursor ?? null
    } while (cursor !== null)
    expect(seen).toEqual(all)
    const gone = JSON.stringify({ folder: '/f5/gone/', after: null })
    const rest = (await listEverything(stage.open(), gone)).map(({ ref }) => ref)
    expect(rest[0]).toBe('/f6/g0/')
    await stage.emulators.close()
  })

  it.skipIf(lacksServer('nginx') !== null)('ends although links in its file system make a circle', async () => {
    const { stage, driver } = await planted('nginx')
    symlinkSync('..', join(stage.disk, 'f0', 'up'))
    const entries = await listEverything(driver)
    expect(entries).toHaveLength(12 + 24 + 84 + 1)
    await stage.emulators.close()
  })

  it('is refused with a wrong password', async () => {
    const { stage } = await planted()
    stage.emulators.plan({ kind: 'expired' })
    await rejection(stage.open().identity(call()), 'AuthExpired')
    expect(DAV_LOGIN.user).toBe('ann')
    await stage.emulators.close()
  })
})
