import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Copying, createCopying } from '../../server/domain/copying/service.ts'
import type { FilesService } from '../../server/domain/files/contract.ts'
import { createFilesService } from '../../server/domain/files/service.ts'
import type { UploadsService } from '../../server/domain/uploads/contract.ts'
import { createUploads } from '../../server/domain/uploads/service.ts'
import type { Driver } from '../../server/providers/driver.ts'
import { ProviderError } from '../../server/providers/errors.ts'
import { MIB, startTransfersWorld, type TransfersWorld } from '../setup/transfersWorld.ts'
import { startDropbox } from './providers/dropboxStage.ts'
import { startGoogle } from './providers/googleStage.ts'

/** Copies of files that an account has: it copies them itself, and is sent the bytes only where it cannot. */
let world: TransfersWorld
let files: Pick<FilesService, 'remove'>
let uploads: UploadsService
let copying: Copying

beforeEach(async () => {
  world = await startTransfersWorld()
  const { pool, store, events, enqueue, openDriver, contents } = world
  const service = createFilesService({ pool, events, enqueue, contents })
  files = service
  const onError = (error: unknown) => world.errors.push(error)
  const answering = { getFile: service.get, getCopies: service.copies, onError }
  const intake = { pool, openDriver, leases: pool, alone: true, store, events, enqueue, anyType: true }
  uploads = createUploads({ ...intake, ...answering }).service
  const onCopied = () => undefined
  copying = createCopying({ pool, events, enqueue, contents, receive: uploads.receive, onCopied })
})
afterEach(async () => {
  expect(world.errors).toEqual([])
  await world.close()
})

/** A file that is stored at its account. */
async function stored(groupCloudId: string, content: Buffer, name = 'a.bin') {
  const { id } = await uploads.receive(
    world.viewer,
    { name, size: content.length, groupCloudId },
    Readable.from([content]),
  )
  await world.settleDown()
  expect((await world.file(id)).state).toBe('STORED')
  return id
}

/** @returns the id of a copy of it, of which nothing is at its account yet */
async function copyOf(id: string): Promise<string> {
  const [copy] = await copying.copy(world.viewer, { ids: [id], parentId: null }, undefined)
  return copy?.id ?? ''
}

async function expectWhole(id: string, content: Buffer) {
  expect(await world.file(id)).toEqual({ state: 'STORED', reason: null, stagedRef: null })
  expect((await world.read(id)).equals(content)).toBe(true)
}

async function refOf(fileId: string): Promise<string> {
  const text = 'select p.object_ref as ref from pieces p join copies c on c.id = p.copy_id where c.file_id = $1'
  return (await world.pool.query(text, [fileId])).rows[0].ref
}

const SERVICES = {
  async 'Google Drive'() {
    const stage = await startGoogle()
    return {
      ...stage,
      copies: () => stage.count('drive.files.copy'),
      overwrite: (ref: string, text: string) => stage.alter({ id: ref, text }),
      paths: async () => (await stage.objects()).map(({ path }) => path),
      refusal: { kind: 'policy', operation: 'drive.files.copy' } as const,
    }
  },
  async Dropbox() {
    const stage = await startDropbox()
    return {
      ...stage,
      copies: () => stage.count('files/copy_v2'),
      overwrite: (ref: string, text: string) => stage.dropbox.alter({ user: stage.user, id: ref, text }),
      refusal: { kind: 'policy', operation: 'files/copy_v2' } as const,
    }
  },
}

describe.each(Object.entries(SERVICES))('%s', (_, start) => {
  let stage: Awaited<ReturnType<typeof start>>
  let groupCloudId: string

  beforeEach(async () => {
    stage = await start()
    const account = await world.account('Cloud')
    world.drivers.set(account, stage.open())
    groupCloudId = await world.groupCloud([account])
  })
  afterEach(async () => {
    expect(stage.bugs()).toEqual([])
    await stage.close()
  })

  /** Bytes that were sent there since the beginning. */
  const sent = () => stage.log().reduce((sum, { bytesIn }) => sum + bytesIn, 0)

  it('copies by itself, small and large: no byte is sent again', async () => {
    for (const [index, size] of [20_000, 6 * MIB].entries()) {
      const content = randomBytes(size)
      const id = await stored(groupCloudId, content, `${index}.bin`)
      const before = sent()
      const copy = await copyOf(id)
      await world.settleDown()
      expect(stage.copies()).toBeGreaterThan(index)
      expect(sent() - before).toBeLessThan(8_000)
      expect(await refOf(copy)).not.toBe(await refOf(id))
      await files.remove(world.viewer, [id])
      await world.settleDown()
      await expectWhole(copy, content)
      expect((await stage.paths()).filter((path) => path.endsWith('.bin'))).toHaveLength(index + 1)
    }
  })

  it('is sent the bytes where the original was overwritten or is gone', async () => {
    for (const harm of ['overwrite', 'delete'] as const) {
      const content = randomBytes(20_000)
      const id = await stored(groupCloudId, content, `${harm}.bin`)
      const copy = await copyOf(id)
      const ref = await refOf(id)
      if (harm === 'overwrite') await stage.overwrite(ref, 'Something else.')
      else await stage.open().delete({ signal: new AbortController().signal, requestId: 'r' }, ref as never)
      const [before, copies] = [sent(), stage.copies()]
      await world.settleDown()
      expect(stage.copies()).toBe(copies)
      expect(sent() - before).toBeGreaterThan(content.length)
      await expectWhole(copy, content)
    }
  })

  it('is sent the bytes where it refuses to copy', async () => {
    const content = randomBytes(20_000)
    const copy = await copyOf(await stored(groupCloudId, content))
    stage.plan(stage.refusal)
    const before = sent()
    await world.settleDown()
    expect(stage.copies()).toBe(1)
    expect(sent() - before).toBeGreaterThan(content.length)
    await expectWhole(copy, content)
  })
})

describe('an account', () => {
  const content = randomBytes(300_000)
  let accountId: string
  let groupCloudId: string
  let calls: string[]

  beforeEach(async () => {
    accountId = await world.account('A')
    groupCloudId = await world.groupCloud([accountId])
    calls = []
    world.cloud.fault = (operation) => {
      calls.push(operation)
      return null
    }
  })
  afterEach(async () => {
    expect(await world.audit()).toEqual([])
  })

  const receivedBytes = () => world.cloud.accounts.get('A')?.receivedBytes ?? 0
  function wrap(change: (driver: Driver) => Partial<Driver>) {
    const driver = world.drivers.get(accountId)
    if (driver) world.drivers.set(accountId, { ...driver, ...change(driver) })
  }
  async function expectSent(times: number) {
    const copy = await copyOf(await stored(groupCloudId, content))
    await world.settleDown()
    await expectWhole(copy, content)
    expect(receivedBytes() / content.length).toBe(times)
    expect(world.names('A')).toHaveLength(2)
  }

  it('copies copies of copies, also where the first one is gone', async () => {
    const first = await stored(groupCloudId, content)
    const second = await copyOf(first)
    await world.settleDown()
    const third = await copyOf(second)
    await files.remove(world.viewer, [first])
    await world.settleDown()
    await expectWhole(third, content)
    expect(receivedBytes()).toBe(content.length)
    expect(calls.filter((operation) => operation === 'copy')).toHaveLength(2)
  })

  it('that cannot copy is sent the bytes', async () => {
    const { copy: _, ...driver } = world.drivers.get(accountId) as Driver
    world.drivers.set(accountId, driver)
    await expectSent(2)
  })

  it('that copied other bytes is sent the right ones, and the wrong ones are removed', async () => {
    wrap((driver) => ({
      async copy(call, ref, entry, progress) {
        const copied = await driver.copy?.(call, ref, entry, progress)
        const object = world.cloud.accounts.get('A')?.objects.get(copied?.ref ?? ref)
        if (object && copied) object.bytes = Buffer.from(object.bytes).fill(7, 5, 6)
        return copied ?? driver.stat(call, ref)
      },
    }))
    await expectSent(2)
  })

  it.each(['NotFound', 'Forbidden', 'Permanent'] as const)('that answers %s is sent the bytes', async (code) => {
    wrap((driver) => ({
      copy: async () => {
        throw new ProviderError(code, { provider: driver.kind, operation: 'copy' }, { message: 'No.' })
      },
    }))
    await expectSent(2)
  })

  it('whose answer is lost has copied all the same: what it has is found', async () => {
    world.cloud.fault = (operation) => (operation === 'copy' ? { kind: 'lostReply' } : null)
    const copy = await copyOf(await stored(groupCloudId, content))
    await world.settleDown()
    world.clock.advance(100_000)
    await world.settleDown()
    await expectWhole(copy, content)
    expect(receivedBytes()).toBe(content.length)
    expect(world.names('A')).toHaveLength(2)
  })

  it('copies nothing of another user, nothing of other bytes, and no parts', async () => {
    const id = await stored(groupCloudId, content)
    const other = randomBytes(content.length)
    await world.receive(groupCloudId, other, 'other.bin', id)
    const narrow = await Promise.all(['B', 'C', 'D'].map((name) => world.account(name, 350_000)))
    const spread = await world.groupCloud(narrow)
    await copyOf(await stored(spread, randomBytes(400_000), 'spread.bin'))
    const { rows } = await world.pool.query(
      `insert into users (id, full_name, email, email_key, password_hash)
       values (gen_random_uuid(), 'Eve', 'eve@x.test', 'eve@x.test', '') returning id`,
    )
    const mine = await world.receive(groupCloudId, content, 'mine.bin', id)
    await world.pool.query('update files set user_id = $2 where id = $1', [id, rows[0].id])
    await world.settleDown()
    expect(calls).not.toContain('copy')
    await expectWhole(mine.fileId, content)
  })
})
