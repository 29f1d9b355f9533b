import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FilesServer, type SignedIn, startFilesServer } from '../setup/filesServer.ts'

let server: FilesServer
let ada: SignedIn

beforeAll(async () => {
  server = await startFilesServer()
  ada = await server.signIn()
})
afterAll(() => server.close())

const upload = (name: string, parentId: string) =>
  server.services.uploads.receive(ada.viewer, { name, size: null, parentId }, Readable.from([Buffer.from(name)]))

/** Folders whose child count differs from the number of their live entries. */
async function miscounted(): Promise<unknown[]> {
  const { rows } = await server.pool.query(
    `select f.name, f.child_count from files f where f.kind = 'FOLDER' and f.purged_at is null and f.child_count <>
       (select count(*) from files c where c.parent_id = f.id and c.trashed_at is null and c.purged_at is null)`,
  )
  return rows
}

/** Entries that flat lists show although a folder above them is in the trash. */
async function wronglyShown(): Promise<unknown[]> {
  const { rows } = await server.pool.query(
    `with recursive below as (
       select id from files where trashed_at is not null
       union select f.id from below join files f on f.parent_id = below.id)
     select f.name from below join files f using (id) where f.trash_root_id is null and f.purged_at is null`,
  )
  return rows
}

it('uploads, moves, trash and restore at the same time leave counters and lists right', async () => {
  const { files } = server.services
  const outer = await ada.make({ kind: 'FOLDER', name: 'outer' })
  const inner = await ada.make({ kind: 'FOLDER', name: 'inner', parentId: outer })
  const other = await ada.make({ kind: 'FOLDER', name: 'other' })
  for (let round = 0; round < 8; round++) {
    const uploads = Array.from({ length: 8 }, (_, index) =>
      upload(`same ${index % 3}.txt`, index % 2 === 0 ? inner : other),
    )
    const changes = round % 2 === 0 ? files.trash(ada.viewer, [outer]) : files.restore(ada.viewer, [outer])
    const moves = files.list(ada.viewer, { view: 'DRIVE', parentId: other, limit: 5 }).then(({ items }) =>
      files.move(
        ada.viewer,
        items.map(({ file }) => file.id),
        null,
      ),
    )
    // An upload into a folder that is in the trash already is refused; an open upload goes to the root.
    await Promise.allSettled(uploads)
    await Promise.all([changes, moves])
    expect(await wronglyShown()).toEqual([])
    expect(await miscounted()).toEqual([])
  }
})
