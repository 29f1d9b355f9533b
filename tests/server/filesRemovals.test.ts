import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { transaction } from '../../server/db/pool.ts'
import { forgetAuthorizations } from '../../server/domain/accounts/credentials.ts'
import { createAfterChange } from '../../server/domain/accounts/health.ts'
import { dropPieces, leaveRemnants, wakeRemovals } from '../../server/domain/files/content/removals.ts'
import { newId } from '../../server/lib/ids.ts'
import { createFile, createOwner } from '../factories/files.ts'
import { connectAccount, createRemoteFile, type RemotePiece } from '../factories/remoteFiles.ts'
import { ROOT } from '../fakes/memory/cloud.ts'
import { type FilesDomain, startFilesDomain } from '../setup/filesDomain.ts'

let domain: FilesDomain
let owner: Awaited<ReturnType<typeof createOwner>>
let drive: string
let dropbox: string

beforeAll(async () => {
  domain = await startFilesDomain()
})
beforeEach(async () => {
  domain.cloud.fault = null
  domain.events.length = 0
  owner = await createOwner(domain.pool)
  drive = await connectAccount(domain, { ...scope(), name: 'Drive' })
  dropbox = await connectAccount(domain, { ...scope(), name: 'Dropbox' })
})
afterAll(() => domain.close())

const scope = () => ({ userId: owner.viewer.userId, groupCloudId: owner.groupCloudId })
const make = (copies: RemotePiece[][], stagedRef?: string) =>
  createRemoteFile(domain, { ...scope(), content: randomBytes(1000), copies, ...(stagedRef ? { stagedRef } : {}) })
const files = (account: string) => domain.cloud.objects(account).map(({ ref }) => ref)
const bytesOf = async (account: string) => {
  const { rows } = await domain.pool.query(
    'select used_bytes::int as used, reserved_bytes::int as reserved from accounts where id = $1',
    [account],
  )
  return rows[0]
}
const removals = async () =>
  (
    await domain.pool.query(
      'select attempts, object_ref, session, next_try_at > now() as later from object_removals where account_id = any($1::uuid[])',
      [[drive, dropbox]],
    )
  ).rows
const piecesOf = async (fileId: string) =>
  (
    await domain.pool.query(
      'select p.* from pieces p join copies c on c.id = p.copy_id where c.file_id = $1 order by c.id, p.index',
      [fileId],
    )
  ).rows
const purge = (id: string) => domain.files.remove(owner.viewer, [id])
const remove = (account: string) => domain.housekeeping.removeObjects(account, new AbortController().signal)
const whole = (accountId: string): RemotePiece[] => [{ accountId, size: 1000 }]

/** An object in the account that Skypool has not stored. */
function plant(account: string) {
  return domain.cloud
    .tree(account)
    .add({ kind: 'file', name: 'theirs', bytes: Buffer.from('x'), mimeType: null, parent: ROOT }).ref
}

describe('a file deleted for good', () => {
  it('frees its bytes at once; its objects go by job, and nothing else in the account', async () => {
    const theirs = plant(drive)
    const kept = await make([whole(drive)])
    const gone = await make([
      [...whole(dropbox)],
      [
        { accountId: drive, size: 400 },
        { accountId: drive, size: 600, planned: true },
      ],
    ])
    expect([await bytesOf(drive), await bytesOf(dropbox)]).toEqual([
      { used: 1400, reserved: 600 },
      { used: 1000, reserved: 0 },
    ])
    await purge(gone)
    expect([await bytesOf(drive), await bytesOf(dropbox)]).toEqual([
      { used: 1000, reserved: 0 },
      { used: 0, reserved: 0 },
    ])
    expect(await removals()).toHaveLength(2)
    await domain.runJobs()
    expect(await removals()).toEqual([])
    expect(files(dropbox)).toEqual([])
    const [piece] = await piecesOf(kept)
    expect(files(drive).toSorted()).toEqual([theirs, piece.object_ref].toSorted())
    expect((await domain.pool.query('select from files where id = $1', [gone])).rowCount).toBe(0)
  })

  it('ends its transfers, and tells', async () => {
    const id = await make([[{ accountId: drive, size: 1000, planned: true }]])
    const [{ copy_id: copyId }] = await piecesOf(id)
    const transferId = newId()
    await domain.pool.query(
      "insert into transfers (id, user_id, file_id, copy_id, kind, state, total_bytes) values ($1, $2, $3, $4, 'STORE', 'RUNNING', 1000)",
      [transferId, owner.viewer.userId, id, copyId],
    )
    await purge(id)
    const { rows } = await domain.pool.query(
      'select state, ended_at is not null as ended from transfers where id = $1',
      [transferId],
    )
    expect(rows).toEqual([{ state: 'CANCELLED', ended: true }])
    expect(domain.events.filter(({ topic }) => topic === 'transferProgressed')).toEqual([
      { topic: 'transferProgressed', event: { transferId, sentBytes: 0, bytesPerSecond: null } },
    ])
  })

  it('drops what is staged of it', async () => {
    const staged = newId()
    const writer = await domain.store.stage(staged, 0)
    await writer.write(randomBytes(1000))
    await writer.sync()
    await writer.close()
    await domain.store.publish(staged)
    const id = await make([[{ accountId: drive, size: 1000, planned: true }]], staged)
    await purge(id)
    await domain.runJobs()
    const stored: string[] = []
    for await (const objectId of domain.store.listStored()) stored.push(objectId)
    expect(stored).not.toContain(staged)
  })

  it('ends an upload session that is saved at the same moment', async () => {
    const id = await make([[{ accountId: drive, size: 1000, planned: true }]])
    const [piece] = await piecesOf(id)
    const upload = await domain.pool.connect()
    try {
      await upload.query('begin')
      await upload.query("update pieces set session = 'saved' where id = $1", [piece.id])
      const purging = purge(id)
      const waits = async () => (await domain.pool.query('select from pg_locks where not granted')).rowCount
      await expect.poll(waits).toBeGreaterThan(0)
      await upload.query('commit')
      await purging
    } finally {
      upload.release()
    }
    expect(await removals()).toMatchObject([{ session: `pieces:${piece.id} saved` }])
  })

  it('ends an upload session that was begun for it', async () => {
    const id = await make([[{ accountId: drive, size: 1000, planned: true }]])
    const [piece] = await piecesOf(id)
    const account = domain.cloud.accounts.get(drive)
    account?.uploads.set('begun', { id: 'begun', size: 1000, bytes: [], length: 0, stored: null })
    const sealed = domain.deps.encryption.encrypt(
      JSON.stringify({ name: 'a', session: '{"upload":"begun"}' }),
      `pieces:${piece.id}`,
    )
    await domain.pool.query('update pieces set session = $2 where id = $1', [piece.id, sealed])
    await purge(id)
    await domain.runJobs()
    expect([...(account?.uploads.keys() ?? [])]).toEqual([])
    expect(await removals()).toEqual([])
  })
})

describe('removing objects', () => {
  it('keeps nobody waiting while an account is out of reach, and is done when it is back', async () => {
    const id = await make([whole(drive)])
    domain.cloud.fault = (operation) => (operation === 'delete' ? { kind: 'refused', code: 'Transient' } : null)
    await purge(id)
    await domain.runJobs()
    expect(await removals()).toMatchObject([{ attempts: 1, later: true }])
    expect((await domain.pool.query('select from files where id = $1', [id])).rowCount).toBe(0)
    const { rows } = await domain.pool.query(
      "select run_at > now() + interval '10 seconds' as later from graphile_worker.jobs where key = $1",
      [`remove ${drive}`],
    )
    expect(rows).toEqual([{ later: true }])
    domain.cloud.fault = null
    await remove(drive)
    expect(files(drive)).toHaveLength(1)
    await domain.pool.query(
      "update object_removals set next_try_at = now() - interval '1 second' where account_id = $1",
      [drive],
    )
    await remove(drive)
    expect([files(drive), await removals()]).toEqual([[], []])
  })

  it('is no attempt when the server stops in the middle, so it goes on soon, however often that happens', async () => {
    const id = await make([whole(drive)])
    domain.cloud.fault = () => ({ kind: 'refused', code: 'Transient' })
    await purge(id)
    const due = "update object_removals set next_try_at = now() - interval '1 second' where account_id = $1"
    await domain.runJobs()
    await domain.pool.query('update object_removals set attempts = 0 where account_id = $1', [drive])
    for (let stops = 0; stops < 5; stops += 1) {
      await domain.pool.query(due, [drive])
      const stopping = new AbortController()
      domain.cloud.fault = (operation) => {
        if (operation === 'delete') stopping.abort()
        return operation === 'delete' ? { kind: 'refused', code: 'Transient' } : null
      }
      await expect(domain.housekeeping.removeObjects(drive, stopping.signal)).rejects.toThrow()
      expect(await removals()).toMatchObject([{ attempts: 0, later: true }])
    }
  })

  it('never takes what a piece refers to with the session of another one', async () => {
    const [{ object_ref: objectRef }] = await piecesOf(await make([whole(drive)]))
    const id = await make([[{ accountId: drive, size: 1000, planned: true }]])
    const [piece] = await piecesOf(id)
    const account = domain.cloud.accounts.get(drive)
    account?.uploads.set('same', { id: 'same', size: 1000, bytes: [], length: 1000, stored: objectRef })
    const session = JSON.stringify({ name: 'a', session: '{"upload":"same"}' })
    const sealed = domain.deps.encryption.encrypt(session, `pieces:${piece.id}`)
    await domain.pool.query('update pieces set session = $2 where id = $1', [piece.id, sealed])
    await purge(id)
    await domain.runJobs()
    expect(files(drive)).toEqual([objectRef])
    expect(await removals()).toEqual([])
  })

  it('never takes what is a file of the account itself with the session of an upload into its folder', async () => {
    const theirs = plant(drive)
    const shown = await createFile(domain, { ...scope(), content: Buffer.from('x') })
    await domain.pool.query('insert into account_entries (file_id, account_id, ref) values ($1, $2, $3)', [
      shown,
      drive,
      theirs,
    ])
    const id = await make([[{ accountId: drive, size: 1000, planned: true }]])
    const [piece] = await piecesOf(id)
    const account = domain.cloud.accounts.get(drive)
    account?.uploads.set('equal', { id: 'equal', size: 1000, bytes: [], length: 1000, stored: theirs })
    const session = JSON.stringify({ name: 'a', session: '{"upload":"equal"}' })
    const sealed = domain.deps.encryption.encrypt(session, `pieces:${piece.id}`)
    await domain.pool.query('update pieces set session = $2 where id = $1', [piece.id, sealed])
    await purge(id)
    await domain.runJobs()
    expect(files(drive)).toEqual([theirs])
    expect(await removals()).toEqual([])
  })

  it('never takes what a piece refers to, and is content with what is gone', async () => {
    const id = await make([whole(drive)])
    const [{ id: pieceId, object_ref: objectRef }] = await piecesOf(id)
    await transaction(domain.pool, (tx) =>
      leaveRemnants(tx, domain.deps.enqueue, [
        { accountId: drive, pieceId, objectRef, session: null, size: null, hash: null },
        { accountId: drive, pieceId, objectRef: 'never-was', session: null, size: null, hash: null },
        { accountId: drive, pieceId, objectRef: null, session: null, size: null, hash: null },
      ]),
    )
    expect(await removals()).toHaveLength(2)
    domain.cloud.fault = (operation, ref) =>
      operation === 'delete' && ref === 'never-was' ? { kind: 'refused', code: 'NotFound' } : null
    await remove(drive)
    expect([files(drive), await removals()]).toEqual([[objectRef], []])
  })

  it('waits for an expired account, and for a disconnected one until the same login is connected again', async () => {
    const ids = [await make([whole(drive)]), await make([whole(dropbox)])]
    await domain.files.remove(owner.viewer, ids)
    await domain.pool.query("update accounts set status = 'EXPIRED' where id = $1", [drive])
    await domain.pool.query('update accounts set disconnected_at = now() where id = $1', [dropbox])
    await remove(drive)
    await remove(dropbox)
    expect(await removals()).toMatchObject([{ attempts: 0 }, { attempts: 0 }])
    expect([files(drive).length, files(dropbox).length]).toEqual([1, 1])
    await forgetAuthorizations(domain.pool)
    await domain.pool.query("update accounts set status = 'CONNECTED' where id = $1", [drive])
    await domain.pool.query('delete from graphile_worker._private_jobs')
    await transaction(domain.pool, (tx) => wakeRemovals(tx, domain.deps.enqueue))
    await domain.runJobs()
    expect([files(drive).length, files(dropbox).length]).toEqual([0, 1])
    expect(await removals()).toHaveLength(1)
    await domain.pool.query('update accounts set disconnected_at = null where id = $1', [dropbox])
    await createAfterChange(domain.deps)(dropbox)
    await domain.runJobs()
    expect([files(dropbox).length, await removals()]).toEqual([0, []])
  })

  it('leaves what somebody changed, and what somebody put into the trash of the service', async () => {
    const [changed, gone, same] = [await make([whole(drive)]), await make([whole(drive)]), await make([whole(drive)])]
    const refs = await Promise.all([changed, gone, same].map(async (id) => (await piecesOf(id))[0].object_ref))
    domain.cloud.overwrite(drive, refs[0], Buffer.from('theirs'))
    domain.cloud.tree(drive).remove(refs[1])
    const deleted: unknown[] = []
    domain.cloud.fault = (operation, ref) => {
      if (operation === 'delete') deleted.push(ref)
      return null
    }
    await domain.files.remove(owner.viewer, [changed, gone, same])
    await domain.runJobs()
    expect([files(drive), await removals(), deleted]).toEqual([[refs[0]], [], [refs[2]]])
  })

  it('of forty objects takes all, though one of them cannot be removed', async () => {
    const ids: string[] = []
    for (let index = 0; index < 40; index += 1) ids.push(await make([whole(drive)]))
    const [{ object_ref: stubborn }] = await piecesOf(ids[7] ?? '')
    domain.cloud.fault = (operation, ref) =>
      operation === 'delete' && ref === stubborn ? { kind: 'refused', code: 'Forbidden' } : null
    await domain.files.remove(owner.viewer, ids)
    await remove(drive)
    expect(files(drive)).toEqual([stubborn])
    expect(await removals()).toMatchObject([{ object_ref: stubborn, attempts: 1 }])
  })
})

describe('dropPieces', () => {
  const drop = (...ids: string[]) =>
    transaction(domain.pool, async (tx) => {
      await tx.query('select from accounts where user_id = $1 order by id for update', [owner.viewer.userId])
      return dropPieces(tx, domain.deps.enqueue, ids)
    })

  it('frees what is used and what is reserved, and leaves the objects to the job', async () => {
    const id = await make([
      [
        { accountId: drive, size: 400 },
        { accountId: drive, size: 600, planned: true },
      ],
    ])
    const pieces = await piecesOf(id)
    expect(await drop(...pieces.map((piece) => piece.id))).toEqual([])
    expect(await bytesOf(drive)).toEqual({ used: 0, reserved: 0 })
    expect(await removals()).toMatchObject([{ object_ref: pieces[0].object_ref }])
    expect(await piecesOf(id)).toEqual([])
  })

  it('answers with objects of this server that nothing else refers to', async () => {
    const id = await createFile(domain, { userId: owner.viewer.userId, content: 'here' })
    const [piece] = await piecesOf(id)
    await domain.pool.query('update files set staged_ref = $2 where id = $1', [id, piece.object_ref])
    expect(await drop(piece.id)).toEqual([])
    const other = await createFile(domain, { userId: owner.viewer.userId, content: 'there' })
    const [single] = await piecesOf(other)
    expect(await drop(single.id)).toEqual([single.object_ref])
    expect(await bytesOf(owner.accountId)).toEqual({ used: 0, reserved: 0 })
  })

  it('frees nothing twice of a file that was deleted for good', async () => {
    const id = await createFile(domain, { userId: owner.viewer.userId, content: 'here' })
    const [piece] = await piecesOf(id)
    await createFile(domain, { userId: owner.viewer.userId, content: '123456' })
    await purge(id)
    expect(await drop(piece.id)).toEqual([piece.object_ref])
    expect(await bytesOf(owner.accountId)).toEqual({ used: 6, reserved: 0 })
  })
})
