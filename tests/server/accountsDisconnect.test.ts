import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ConflictError, FilesWouldBeLostError, NotFoundError } from '../../server/domain/errors.ts'
import { newId } from '../../server/lib/ids.ts'
import { createObjectStore, type ObjectStore } from '../../server/storage/objectStore.ts'
import { createFile } from '../factories/files.ts'
import type { TestUser } from '../factories/user.ts'
import { type AccountsServer, startAccountsServer } from '../setup/accountsServer.ts'

let server: AccountsServer
let store: ObjectStore
let ada: TestUser

beforeAll(async () => {
  server = await startAccountsServer()
  store = await createObjectStore(server.dataDir)
})
beforeEach(async () => {
  ada = await server.signIn()
  server.google.calls.length = 0
})
afterAll(() => server?.close())

const service = () => server.services.accounts
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  )
const connect = (name = 'Drive', user = ada) => server.connect(user.viewer, server.newLogin(), name)

/** A copy of the file with a piece on each of the accounts. */
async function addCopy(fileId: string, accountIds: readonly string[], state = 'STORED'): Promise<void> {
  const copyId = newId()
  await server.pool.query('insert into copies (id, file_id, state) values ($1, $2, $3::"CopyState")', [
    copyId,
    fileId,
    state,
  ])
  for (const [index, accountId] of accountIds.entries()) {
    await server.pool.query(
      'insert into pieces (id, copy_id, account_id, index, size, object_ref) values ($1, $2, $3, $4, 10, $5)',
      [newId(), copyId, accountId, index, `object ${index} of ${copyId}`],
    )
  }
}

/** A file of 10 bytes without any copy. */
async function addFile(): Promise<string> {
  const id = await createFile({ pool: server.pool, store }, { userId: ada.viewer.userId, content: '0123456789' })
  await server.pool.query('delete from pieces where copy_id in (select id from copies where file_id = $1)', [id])
  await server.pool.query('delete from copies where file_id = $1', [id])
  return id
}

describe('what would be lost', () => {
  it('is counted exactly: staged, spanned, missing, purged and copies on lost accounts', async () => {
    const [here, there, gone] = [await connect('Here'), await connect('There'), await connect('Gone')]
    await server.pool.query(`update accounts set status = 'EXPIRED' where id = $1`, [gone.id])
    const file = async (...copies: readonly [readonly string[], string?][]) => {
      const id = await addFile()
      for (const [accounts, state] of copies) await addCopy(id, accounts, state)
      return id
    }
    await file([[here.id]]) // lost: the only one
    await file([[here.id, there.id]]) // lost: spanned, a part is here
    await file([[here.id]], [[gone.id]]) // lost: the other one cannot be read
    await file([[here.id]], [[there.id], 'MISSING']) // lost: the other one is gone
    await file([[here.id]], [[there.id]]) // kept
    await file([[here.id]], [[there.id, there.id]]) // kept: the other one is whole
    await file([[there.id]]) // not here
    await file([[here.id], 'MISSING']) // nothing here any more
    const staged = await file([[here.id]]) // kept: the content is still on this server
    await server.pool.query(`update files set staged_ref = 'x' where id = $1`, [staged])
    const purged = await file([[here.id]])
    await server.pool.query('update files set purged_at = now() where id = $1', [purged])
    expect(await service().previewLoss(ada.viewer, here.id)).toEqual({
      ...{ lostFiles: 4, lostBytes: 40, keptFiles: 3 },
      ...{ inPlaceLost: 0, inPlaceLostBytes: 0, inPlaceProtected: 0 },
    })
    const bob = await server.signIn()
    expect(await failure(service().previewLoss(bob.viewer, here.id))).toBeInstanceOf(NotFoundError)
  })
})

describe('disconnecting', () => {
  it('erases the credentials, revokes, and leaves the group clouds, also as the last member', async () => {
    const { id } = await connect()
    const { viewer } = ada
    const alone = await server.services.groupClouds.create(viewer, { name: 'Alone', accountIds: [id] })
    await service().disconnect(viewer, id, false)
    const { rows } = await server.pool.query(
      `select (select count(*)::int from account_credentials where account_id = $1) as credentials,
         (select count(*)::int from group_cloud_members where account_id = $1) as memberships,
         (select disconnected_at is not null from accounts where id = $1) as disconnected`,
      [id],
    )
    expect(rows).toEqual([{ credentials: 0, memberships: 0, disconnected: true }])
    expect(server.google.calls.filter((call) => call === 'revoke')).toHaveLength(1)
    expect(await service().getMany(viewer, [id])).toEqual([null])
    expect((await server.services.groupClouds.getMany(viewer, [alone.id]))[0]?.members).toEqual([])
    expect(await failure(service().disconnect(viewer, id, true))).toBeInstanceOf(NotFoundError)
  })

  it('is refused while files would be lost, and goes on when that is accepted', async () => {
    const { id } = await connect()
    await addCopy(await addFile(), [id])
    const error = await failure(service().disconnect(ada.viewer, id, false))
    expect(error).toBeInstanceOf(FilesWouldBeLostError)
    expect(error).toMatchObject({ lostFiles: 1, lostBytes: 10 })
    expect(String(error)).toContain('The only copy of one file is on this account (10 Bytes).')
    expect(server.google.calls).not.toContain('revoke')
    await service().disconnect(ada.viewer, id, true)
    expect(await service().getMany(ada.viewer, [id])).toEqual([null])
  })

  it('is refused to the second of two at once that hold the two copies of a file', async () => {
    const accounts = [await connect('One'), await connect('Other')]
    const file = await addFile()
    for (const { id } of accounts) await addCopy(file, [id])
    const errors = await Promise.all(accounts.map(({ id }) => failure(service().disconnect(ada.viewer, id, false))))
    expect(errors.filter((error) => error !== null)).toEqual([expect.any(FilesWouldBeLostError)])
  })

  it('says so in the files that are lost, and heals when the same login connects again, under the old id', async () => {
    const login = server.newLogin()
    const account = await server.connect(ada.viewer, login, 'Old name')
    const file = await addFile()
    await addCopy(file, [account.id])
    await service().disconnect(ada.viewer, account.id, true)
    const state = async () => (await server.services.files.getMany(ada.viewer, [file]))[0]
    expect(await state()).toMatchObject({ state: 'AT_RISK', stateReason: expect.stringContaining('Old name') })

    const back = await server.connect(ada.viewer, login, 'New name')
    expect(back).toMatchObject({ id: account.id, name: 'New name', hue: account.hue, status: 'CONNECTED' })
    expect(await state()).toMatchObject({ state: 'STORED', stateReason: null })
    const { rows } = await server.pool.query(`select version from account_credentials where account_id = $1`, [back.id])
    expect(rows).toHaveLength(1)
    expect((await service().readQuotas(ada.viewer, [back.id]))[0]?.error).toBeNull()
  })

  it('does not end the access of another user of the same login', async () => {
    const login = server.newLogin()
    const bob = await server.signIn()
    const [mine, his] = [await server.connect(ada.viewer, login), await server.connect(bob.viewer, login)]
    await service().disconnect(ada.viewer, mine.id, false)
    expect(server.google.calls).not.toContain('revoke')
    await server.pool.query('update accounts set quota_checked_at = null where id = $1', [his.id])
    expect((await service().readQuotas(bob.viewer, [his.id]))[0]?.error).toBeNull()
    await service().disconnect(bob.viewer, his.id, false)
    expect(server.google.calls).toContain('revoke')
  })

  it('is done although the provider cannot be told, and although the key does not open the credentials', async () => {
    const { id } = await connect()
    server.google.failWith('Transient')
    await service().disconnect(ada.viewer, id, false)
    server.google.failWith(null)
    const other = await connect()
    await server.pool.query(`update account_credentials set sealed = 'v1.00000000.AAAA' where account_id = $1`, [
      other.id,
    ])
    await service().disconnect(ada.viewer, other.id, false)
    expect(await service().getMany(ada.viewer, [id, other.id])).toEqual([null, null])
    expect(server.logs.join('')).toMatch(/Encrypted with a key that is not in the keyring/)
  })

  it('is not for the storage of this server, nor for others', async () => {
    const [local] = await service().list(ada.viewer)
    expect(await failure(service().disconnect(ada.viewer, local?.id ?? '', true))).toBeInstanceOf(ConflictError)
    const bob = await server.signIn()
    const { id } = await connect()
    expect(await failure(service().disconnect(bob.viewer, id, true))).toBeInstanceOf(NotFoundError)
  })

  it('is forgotten as soon as nothing is left there', async () => {
    const [empty, full] = [await connect('Empty'), await connect('Full')]
    const fileId = await addFile()
    await addCopy(fileId, [full.id])
    for (const { id } of [empty, full]) await service().disconnect(ada.viewer, id, true)
    const left = async () =>
      (await server.pool.query('select id from accounts where id = any($1)', [[empty.id, full.id]])).rows
    await server.housekeeping.forgetAuthorizations()
    expect(await left()).toEqual([{ id: full.id }])
    await server.pool.query('delete from copies where file_id = $1', [fileId])
    await server.housekeeping.forgetAuthorizations()
    expect(await left()).toEqual([])
  })
})
