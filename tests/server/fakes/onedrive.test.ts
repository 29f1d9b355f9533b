import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codesOf, EMAIL, type Harness, startOneDrive } from './onedriveHarness.ts'

const UNIT = 327_680
let oneDrive: Harness
type Item = { readonly id: string; readonly name: string; readonly [field: string]: unknown }
type Page = {
  readonly value: readonly Item[]
  readonly '@odata.nextLink'?: string
  readonly '@odata.deltaLink'?: string
}

beforeEach(async () => {
  oneDrive = await startOneDrive()
})
afterEach(async () => {
  const bugs = oneDrive.log().flatMap(({ bug }) => bug ?? [])
  await oneDrive.close()
  expect(bugs).toEqual([])
})

const plant = async (path: string, text = 'text') =>
  (await oneDrive.commands.plant({ user: EMAIL, path, text })).id ?? ''
const range = (start: number, end: number, total: number) => ({ 'content-range': `bytes ${start}-${end - 1}/${total}` })

describe('the emulated upload session', () => {
  const opened = async (name = 'big.bin'): Promise<string> => {
    const { json } = await oneDrive.ask('POST', `/me/drive/root:/${name}:/createUploadSession`, { body: {} })
    return (json as { uploadUrl: string }).uploadUrl
  }

  it('refuses an access token, other sizes than multiples of 320 KiB, gaps, repetitions and another total', async () => {
    const url = await opened()
    const total = 2 * UNIT + 5
    const send = (start: number, end: number, more: object = {}, all = total) =>
      oneDrive.ask('PUT', url, {
        body: Buffer.alloc(end - start),
        headers: range(start, end, all),
        bare: true,
        ...more,
      })
    expect(codesOf(await send(0, UNIT, { bare: false }))).toEqual([401, 'InvalidAuthenticationToken'])
    expect(codesOf(await send(0, 1000))).toEqual([400, 'invalidRequest', 'invalidRange'])
    expect(codesOf(await send(UNIT, 2 * UNIT))).toEqual([416, 'invalidRange', 'fragmentOutOfOrder'])
    const first = await send(0, UNIT)
    expect([first.status, first.json]).toEqual([202, expect.objectContaining({ nextExpectedRanges: [`${UNIT}-`] })])
    expect(codesOf(await send(0, UNIT))).toEqual([416, 'invalidRange', 'fragmentOverlap'])
    expect(codesOf(await send(UNIT, 2 * UNIT, {}, total + 1))).toEqual([400, 'invalidRequest', 'invalidRange'])
    expect((await send(UNIT, 2 * UNIT)).status).toBe(202)
    const done = await send(2 * UNIT, total)
    expect([done.status, done.json]).toEqual([201, expect.objectContaining({ name: 'big.bin', size: total })])
    expect((await oneDrive.ask('GET', url, { bare: true })).status).toBe(404)
  })

  it('keeps nothing of a part that is cut, and its bytes when the name is taken at the end', async () => {
    const url = await opened()
    oneDrive.plan({ kind: 'cutUp', operation: 'upload.put', bytes: 1000 })
    const cut = oneDrive.ask('PUT', url, { body: Buffer.alloc(UNIT), headers: range(0, UNIT, UNIT), bare: true })
    await expect(cut).rejects.toThrow()
    const { json } = await oneDrive.ask('GET', url, { bare: true })
    expect(json).toMatchObject({ nextExpectedRanges: ['0-'] })
    await plant('/BIG.bin')
    const last = await oneDrive.ask('PUT', url, { body: Buffer.alloc(UNIT), headers: range(0, UNIT, UNIT), bare: true })
    expect(codesOf(last)).toEqual([409, 'nameAlreadyExists'])
    expect((await oneDrive.ask('GET', url, { bare: true })).json).toMatchObject({ nextExpectedRanges: [] })
    expect((await oneDrive.ask('DELETE', url, { bare: true })).status).toBe(204)
    expect((await oneDrive.ask('DELETE', url, { bare: true })).status).toBe(404)
    const { status } = await oneDrive.ask('POST', '/me/drive/root:/big.BIN:/createUploadSession', { body: {} })
    expect(status).toBe(409)
  })

  it('ends after a day', async () => {
    const url = await opened()
    oneDrive.pass(86_400_000)
    expect((await oneDrive.ask('GET', url, { bare: true })).status).toBe(404)
  })
})

describe('the emulated download', () => {
  it('redirects to another host, which refuses an access token and forgets the address', async () => {
    const id = await plant('/a.txt', '0123456789')
    const location = (await oneDrive.ask('GET', `/me/drive/items/${id}/content`)).headers.get('location') ?? ''
    expect(new URL(location).host).not.toBe('graph.microsoft.com')
    expect((await oneDrive.ask('GET', location)).status).toBe(401)
    const part = await oneDrive.ask('GET', location, { bare: true, headers: { range: 'bytes=2-4' } })
    expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, '234', 'bytes 2-4/10'])
    const beyond = await oneDrive.ask('GET', location, { bare: true, headers: { range: 'bytes=10-' } })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10'])
    oneDrive.pass(3_600_000)
    expect((await oneDrive.ask('GET', location, { bare: true })).status).toBe(401)
  })
})

describe('the emulated list of changes', () => {
  const page = async (path: string, headers = {}) => (await oneDrive.ask('GET', path, { headers })).json as Page

  it('has pages, folders above unless they are excluded, deletions, and asks for a new start', async () => {
    for (const name of ['a', 'b', 'c']) await plant(`/Folder/${name}.txt`)
    const ids = new Set<string>()
    let at = await page('/me/drive/root/delta?$top=2')
    for (; at['@odata.nextLink']; at = await page(at['@odata.nextLink'])) for (const { id } of at.value) ids.add(id)
    for (const { id } of at.value) ids.add(id)
    expect(ids.size).toBe(5)
    const link = at['@odata.deltaLink'] ?? ''
    expect((await page(link)).value).toEqual([])
    oneDrive.commands.trash({ user: EMAIL, path: '/Folder/a.txt' })
    const names = (list: Page) => list.value.map((item) => (item.deleted ? 'deleted' : item.name))
    expect(names(await page(link))).toEqual(['root', 'Folder', 'deleted'])
    const changed = await page(link, { deltaExcludeParent: 'true' })
    expect(names(changed)).toEqual(['deleted'])
    expect(changed.value[0]).not.toHaveProperty('name')
    const now = (await page('/me/drive/root/delta?token=latest'))['@odata.deltaLink'] ?? ''
    expect((await page(now)).value).toEqual([])
    oneDrive.commands.resetDelta()
    const gone = await oneDrive.ask('GET', now)
    expect(codesOf(gone)).toEqual([410, 'resyncChangesApplyDifferences'])
    expect(gone.headers.get('location')).toContain('/root/delta')
  })

  it('repeats items in earlier states where that is switched on', async () => {
    await plant('/a.txt')
    oneDrive.commands.repeatItems({ on: true })
    const { value } = await page('/me/drive/root/delta')
    const files = value.filter((item) => item.file !== undefined).map(({ name }) => name)
    expect([files[0], files[1], value.length]).toEqual(['an earlier name', 'a.txt', 5])
  })
})

describe('the emulated items', () => {
  it('are found by path in any case, return the selected fields alone, and refuse names', async () => {
    const id = await plant('/Füße/a b#1%.txt')
    const { json } = await oneDrive.ask('GET', '/me/drive/root:/F%C3%9Csse/a?$select=id')
    expect((json as { error: { code: string } }).error.code).toBe('itemNotFound')
    const found = await oneDrive.ask(
      'GET',
      `/drives/${oneDrive.user.driveId}/root:/f%C3%BC%C3%9Fe/A%20B%231%25.TXT:?$select=id,name`,
    )
    expect(found.json).toEqual({ id, name: 'a b#1%.txt' })
    for (const name of ['a:b', 'a.', ' a', 'con', '~$a', 'x_vti_y']) {
      const made = await oneDrive.ask('POST', '/me/drive/root/children', { body: { name, folder: {} } })
      expect([name, made.status]).toEqual([name, 400])
    }
    const long = await oneDrive.ask('PUT', `/me/drive/items/root:/${'x'.repeat(256)}:/content`, {
      body: Buffer.from('x'),
    })
    expect(long.status).toBe(400)
  })

  it('are overwritten only by who knows their state, where that is asked for', async () => {
    const id = await plant('/a.txt', 'first')
    const { eTag } = (await oneDrive.ask('GET', `/me/drive/items/${id}`)).json as Item
    const write = (match: string) =>
      oneDrive.ask('PUT', `/me/drive/items/${id}/content`, {
        body: Buffer.from('second'),
        headers: { 'if-match': match },
      })
    expect((await write(String(eTag))).status).toBe(200)
    expect(codesOf(await write(String(eTag)))).toEqual([412, 'resourceModified'])
    const other = await oneDrive.ask('PUT', '/me/drive/root:/A.txt:/content?@microsoft.graph.conflictBehavior=fail', {
      body: Buffer.from('third'),
    })
    expect(codesOf(other)).toEqual([409, 'nameAlreadyExists'])
  })

  it('are copied in the background, and moved by real ids only', async () => {
    const id = await plant('/a.txt', 'first')
    oneDrive.commands.copies({ polls: 1 })
    const accepted = await oneDrive.ask('POST', `/me/drive/items/${id}/copy`, { body: { name: 'b.txt' } })
    const monitor = accepted.headers.get('location') ?? ''
    expect([accepted.status, (await oneDrive.ask('GET', monitor)).status]).toEqual([202, 401])
    expect((await oneDrive.ask('GET', monitor, { bare: true })).json).toMatchObject({ status: 'inProgress' })
    expect((await oneDrive.ask('GET', monitor, { bare: true })).json).toMatchObject({ status: 'completed' })
    const moved = await oneDrive.ask('PATCH', `/me/drive/items/${id}`, { body: { parentReference: { id: 'root' } } })
    expect(moved.status).toBe(400)
    expect((await oneDrive.ask('PATCH', `/me/drive/items/${id}`, { body: { name: 'B.TXT' } })).status).toBe(409)
  })

  it('count when they are in the recycle bin, and not when they are deleted permanently', async () => {
    const used = async () =>
      ((await oneDrive.ask('GET', '/me/drive')).json as { quota: { used: number; deleted: number } }).quota
    const [first, second] = [await plant('/a.txt', '12345'), await plant('/b.txt', '123')]
    await oneDrive.ask('DELETE', `/me/drive/items/${first}`)
    await oneDrive.ask('POST', `/me/drive/items/${second}/permanentDelete`)
    expect(await used()).toMatchObject({ used: 5, deleted: 5 })
    oneDrive.commands.setQuota({ user: EMAIL, quotaBytes: 6 })
    const full = await oneDrive.ask('PUT', '/me/drive/root:/c.txt:/content', { body: Buffer.from('12') })
    expect(codesOf(full)).toEqual([507, 'quotaLimitReached'])
  })
})
