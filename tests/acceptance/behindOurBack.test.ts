import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parsePublicId } from '../../server/lib/ids.ts'
import { type Kind, MIB, type RemoteObject } from './support/emulators.ts'
import { expectStatus, type Person, register, sha256, until } from './support/person.ts'
import { startWorld, type World } from './support/server.ts'

/** What people do to our objects in their accounts, and what is true afterwards, as soon as the provider has told it. */

let world: World
let ada: Person

/** Polls come by `read` alone: the clock decides nothing. */
beforeAll(async () => {
  world = await startWorld({ feedEveryMs: 0 })
  ada = await register(world.url)
})
afterAll(() => world?.close())

type Place = { readonly kind: Kind; readonly email: string; readonly id: string; readonly name: string }

async function connect(kind: Kind): Promise<Place> {
  const email = world.providers.addPerson(kind, 100 * MIB)
  const name = `${kind} ${email}`
  return { kind, email, name, id: await ada.connect(kind, email, name) }
}

/** A file on the account of this kind, with a second copy on one of the other kind where two are wanted. */
async function stored(kind: Kind, copies: number, name = 'letter.txt') {
  const place = await connect(kind)
  const other = copies === 2 ? await connect(kind === 'google' ? 'dropbox' : 'google') : null
  const pool = await ada.pool([place.id, ...(other ? [other.id] : [])], { copies, spanning: false })
  const bytes = randomBytes(2_000)
  const { body } = await expectStatus(201, ada.upload(name, bytes, pool))
  await until(
    () => ada.file(body.id),
    ({ state }) => state === 'STORED',
  )
  // The position in the feed is known before anything happens.
  await read(place, ...(other ? [other] : []))
  const [object] = await objects(place)
  if (!object) throw new Error('Nothing was stored.')
  return { place, id: body.id as string, bytes, object }
}
type Stored = Awaited<ReturnType<typeof stored>>

/** Until everything that the accounts have is known here: one read of them can fail, or be another server's. */
async function read(...places: readonly Place[]): Promise<void> {
  const ids = places.map(({ id }) => parsePublicId(id)?.id ?? '')
  await until(world.server.readFeeds, (known) => ids.every((id) => known.has(id)))
}

const objects = ({ kind, email }: Place): Promise<readonly RemoteObject[]> => world.providers.files(kind, email)
const command = ({ kind, email }: Place, name: string, body: object) =>
  world.providers.command(kind, name, { user: email, ...body })

const BY_HAND: Readonly<Record<string, Readonly<Record<Kind, (file: Stored) => Promise<unknown>>>>> = {
  delete: {
    google: ({ place, object }) => command(place, 'remove', { id: object.id }),
    dropbox: ({ place, object }) => command(place, 'remove', { id: object.id }),
  },
  trash: {
    google: ({ place, object }) => command(place, 'alter', { id: object.id, trashed: true }),
    dropbox: ({ place, object }) => command(place, 'trash', { id: object.id }),
  },
  restore: {
    google: ({ place, object }) => command(place, 'alter', { id: object.id, trashed: false }),
    dropbox: ({ place, object }) => command(place, 'restore', { id: object.id }),
  },
  overwrite: {
    google: ({ place, object }) => command(place, 'alter', { id: object.id, text: 'Their own words.' }),
    dropbox: ({ place, object }) => command(place, 'alter', { id: object.id, text: 'Their own words.' }),
  },
  rename: {
    google: ({ place, object }) => command(place, 'alter', { id: object.id, name: 'theirs.txt' }),
    dropbox: ({ place, object }) => command(place, 'alter', { id: object.id, to: '/Skypool/theirs.txt' }),
  },
  move: {
    async google({ place, object }) {
      const folder = { name: 'Elsewhere', mimeType: 'application/vnd.google-apps.folder' }
      const { id } = (await command(place, 'plant', folder)) as { id: string }
      await command(place, 'alter', { id: object.id, parent: id })
    },
    dropbox: ({ place, object }) => command(place, 'alter', { id: object.id, to: '/Elsewhere/letter.txt' }),
  },
}

async function byHand(what: string, file: Stored): Promise<void> {
  await BY_HAND[what]?.[file.place.kind](file)
  await read(file.place)
}

const stateOf = async (file: Stored) => {
  const { state, stateReason } = await ada.file(file.id)
  return { state, stateReason }
}
/** Two good copies, and besides so many that do not count. */
const isWhole = (file: Stored, others = 0) =>
  until(
    () => ada.file(file.id),
    ({ state, copies }) => {
      const good = copies.filter((copy: { state: string }) => copy.state === 'STORED')
      return state === 'STORED' && good.length === 2 && copies.length === 2 + others
    },
  )

/** Deleted for good here; @returns what is left of it in the account, once nothing is to be removed any more */
async function purge(file: Stored): Promise<readonly RemoteObject[]> {
  await expectStatus(204, ada.request('DELETE', `/api/v1/files/${file.id}`))
  await expectStatus(204, ada.request('DELETE', `/api/v1/files/${file.id}`))
  await until(
    async () => (await world.server.pool.query('select from object_removals')).rowCount,
    (count) => count === 0,
  )
  return objects(file.place)
}

async function expectReadable(file: Stored): Promise<void> {
  expect(await ada.read(file.id)).toMatchObject({ status: 200, sha256: sha256(file.bytes) })
}

/** Of a folder Dropbox keeps nothing that could be put back at once. */
function trashFolder(kind: Kind, id: string, trashed: boolean): [string, object] {
  return kind === 'google' ? ['alter', { id, trashed }] : ['remove', { id }]
}

const KINDS: readonly Kind[] = ['google', 'dropbox']

describe.each(KINDS)('%s', (kind) => {
  describe('one copy', () => {
    it.each(['delete', 'trash'])('%s: at risk without being read, and back when it is back', async (what) => {
      const file = await stored(kind, 1)
      await byHand(what, file)
      const reason = `No copy is left: what “${file.place.name}” held of it is gone or damaged.`
      expect(await stateOf(file)).toEqual({ state: 'AT_RISK', stateReason: reason })
      if (what === 'trash') {
        await byHand('restore', file)
        expect(await stateOf(file)).toEqual({ state: 'STORED', stateReason: null })
        expect(await objects(file.place)).toMatchObject([{ id: file.object.id }])
        await expectReadable(file)
      }
      await purge(file)
    })

    it('overwrite: not ours any more, never removed by us, and ours again when it is as it was', async () => {
      const file = await stored(kind, 1)
      await byHand('overwrite', file)
      const reason = `No copy is left: this file was changed in “${file.place.name}”.`
      expect(await stateOf(file)).toEqual({ state: 'AT_RISK', stateReason: reason })
      await command(file.place, 'alter', { id: file.object.id, base64: file.bytes.toString('base64') })
      await read(file.place)
      expect(await stateOf(file)).toEqual({ state: 'STORED', stateReason: null })
      await byHand('overwrite', file)
      expect(await purge(file)).toMatchObject([{ id: file.object.id, size: 'Their own words.'.length }])
    })

    it('a rename here reaches the account, under a free name', async () => {
      const file = await stored(kind, 1)
      const plant = {
        google: { name: 'better.txt', text: 'x', parent: 'root' },
        dropbox: { path: '/Skypool/Better.txt', text: 'x' },
      }
      await command(file.place, 'plant', plant[kind])
      await expectStatus(200, ada.request('PATCH', `/api/v1/files/${file.id}`, { name: 'better.txt' }))
      const renamed = await until(
        async () => (await objects(file.place)).find(({ id }) => id === file.object.id),
        (object) => object?.name !== 'letter.txt',
      )
      expect(renamed?.name).toMatch(kind === 'google' ? /^better\.txt$/ : /^better ~[0-9a-f]{6}\.txt$/)
      await read(file.place)
      expect(await stateOf(file)).toEqual({ state: 'STORED', stateReason: null })
      await expectReadable(file)
      expect((await purge(file)).map(({ name }) => name.toLowerCase())).toEqual(['better.txt'])
    })

    it.each(['rename', 'move'])('%s: still ours', async (what) => {
      const file = await stored(kind, 1)
      await byHand(what, file)
      expect(await stateOf(file)).toEqual({ state: 'STORED', stateReason: null })
      await expectReadable(file)
      expect(await purge(file)).toEqual([])
    })
  })

  it('the whole folder is put into the trash of the service, and taken out where that can be done', async () => {
    const file = await stored(kind, 1)
    const all = await world.providers.command<RemoteObject[]>(kind, 'objects', { user: file.place.email })
    const folder = all.find(({ name, isFolder }) => isFolder && name === 'Skypool')
    await command(file.place, ...trashFolder(kind, folder?.id ?? '', true))
    await read(file.place)
    expect(await stateOf(file)).toMatchObject({ state: 'AT_RISK' })
    if (kind === 'google') {
      await command(file.place, ...trashFolder(kind, folder?.id ?? '', false))
      await read(file.place)
      expect(await stateOf(file)).toEqual({ state: 'STORED', stateReason: null })
    }
    await purge(file)
  })

  it('what happens while the position in the feed is lost is known all the same', async () => {
    const file = await stored(kind, 1)
    if (kind === 'google') await command(file.place, 'resetChanges', {})
    else await command(file.place, 'resetCursors', {})
    await byHand('trash', file)
    expect(await stateOf(file)).toMatchObject({ state: 'AT_RISK' })
    await byHand('restore', file)
    expect(await stateOf(file)).toEqual({ state: 'STORED', stateReason: null })
    await purge(file)
  })

  describe('two copies', () => {
    it.each(['delete', 'trash'])('%s: made again by itself', async (what) => {
      const file = await stored(kind, 2)
      await byHand(what, file)
      await isWhole(file)
      const live = (await objects(file.place)).filter(({ id }) => id !== file.object.id)
      expect(live).toMatchObject([{ sha256: sha256(file.bytes) }])
      await purge(file)
    })

    it('restore: whole again', async () => {
      const file = await stored(kind, 2)
      await byHand('trash', file)
      await byHand('restore', file)
      await isWhole(file)
      await expectReadable(file)
      await purge(file)
    })

    it('overwrite: made again as a new object, and theirs stays', async () => {
      const file = await stored(kind, 2)
      await byHand('overwrite', file)
      await isWhole(file, 1)
      const sizes = (await objects(file.place)).map(({ id, size }) => [id === file.object.id, size])
      expect(sizes).toEqual([
        [true, 'Their own words.'.length],
        [false, file.bytes.length],
      ])
      expect(await purge(file)).toMatchObject([{ id: file.object.id, size: 'Their own words.'.length }])
    })

    it('overwrite: their version can be kept as a file of its own', async () => {
      const file = await stored(kind, 2)
      await byHand('overwrite', file)
      await isWhole(file, 1)
      const changed = (await ada.file(file.id)).copies.find(({ changedAt }: { changedAt: string | null }) => changedAt)
      const { body } = await expectStatus(201, ada.request('POST', `/api/v1/copies/${changed.id}/keep`))
      expect(body.id).not.toBe(file.id)
      expect(await ada.read(body.id)).toMatchObject({ sha256: sha256(Buffer.from('Their own words.')) })
      await expectReadable(file)
      await isWhole(file)
      await expectStatus(404, ada.request('POST', `/api/v1/copies/${changed.id}/keep`))
      expect((await purge(file)).map(({ id }) => id)).toContain(file.object.id)
    })

    it.each(['rename', 'move'])('%s: still ours, nothing is made again', async (what) => {
      const file = await stored(kind, 2)
      const sent = world.providers.uploads().length
      await byHand(what, file)
      expect(await stateOf(file)).toEqual({ state: 'STORED', stateReason: null })
      expect(world.providers.uploads()).toHaveLength(sent)
      expect(await purge(file)).toEqual([])
    })
  })
})
