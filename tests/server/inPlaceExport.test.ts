import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { createUser } from '../factories/user.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createDropbox, DROPBOX_CLIENT } from '../fakes/dropbox/dropbox.ts'
import { createGoogle, GOOGLE_CLIENT } from '../fakes/google/google.ts'
import { type Answer, type Browser, createBrowser } from '../setup/browser.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { connect } from '../tools/demo/skypool.ts'

/** Native documents of emulated accounts, as programs get them by REST and GraphQL. */
const google = createGoogle()
const dropbox = createDropbox()
let emulators: Awaited<ReturnType<typeof startEmulators>>
let server: TestServer
let browser: Browser
let user = ''
let account = ''
let root = ''
let people = 0

const patient = { timeout: 120_000, interval: 100 }
const OFFICE = 'application/vnd.openxmlformats-officedocument'
const typeOf = (kind: string) => `application/vnd.google-apps.${kind}`

beforeAll(async () => {
  emulators = await startEmulators({ services: [google, dropbox] })
  const providers = {
    GOOGLE_CLIENT_ID: GOOGLE_CLIENT.id,
    GOOGLE_CLIENT_SECRET: GOOGLE_CLIENT.secret,
    GOOGLE_SCOPE: 'drive',
    DROPBOX_CLIENT_ID: DROPBOX_CLIENT.id,
    DROPBOX_CLIENT_SECRET: DROPBOX_CLIENT.secret,
  }
  server = await startTestServer(
    { providers, providerEmulatorUrl: new URL(emulators.url) },
    { openProviders, feedEveryMs: 200 },
  )
})
beforeEach(async () => {
  browser = createBrowser(server.url, (await createUser(server.services.users)).token)
  emulators.clearFaults()
})
afterAll(async () => {
  await server?.close()
  await emulators?.close()
})

const get = async (path: string) => (await browser.request('GET', `/api/v1${path}`)).body
const exportOf = (id: string, query = '', method = 'GET') =>
  browser.request(method, `/api/v1/files/${id}/export${query}`)
const errorOf = ({ status, body }: Answer) => [status, body.code, body.detail]

async function connectPerson(service: 'google' | 'dropbox', plant: () => Promise<unknown>): Promise<void> {
  people += 1
  user = `writer-${people}@example.com`
  const { commands } = service === 'google' ? google : dropbox
  commands.addUser({ email: user, name: 'Writer', quotaBytes: 10 ** 9 })
  await plant()
  const json = async (method: string, path: string, body?: object) =>
    (await browser.request(method, path, body)).body as never
  account = await connect({ json }, service, 'Attic', user)
  root = (await browser.request('PATCH', `/api/v1/accounts/${account}`, { scope: 'EVERYTHING' })).body.rootFileId
}

/** Until the root has these entries. @returns them by their names */
async function listed(names: readonly string[]) {
  return vi.waitFor(async () => {
    const { items } = await get(`/files?parentId=${root}`)
    expect(items.map(({ name }: { name: string }) => name).sort()).toEqual([...names].sort())
    return new Map<string, { readonly id: string }>(items.map((item: { name: string }) => [item.name, item]))
  }, patient)
}

describe('documents of Google Drive', () => {
  const names = ['Diary', 'Sums', 'Talk', 'Sketch', 'Survey', 'Letter.docx', 'note.txt', 'Way']
  let ids: Map<string, { readonly id: string }>
  const idOf = (name: string) => ids.get(name)?.id ?? ''

  beforeEach(async () => {
    await connectPerson('google', async () => {
      const { plant } = google.commands
      await plant({ user, name: 'Diary', mimeType: typeOf('document') })
      await plant({ user, name: 'Sums', mimeType: typeOf('spreadsheet') })
      await plant({ user, name: 'Talk', mimeType: typeOf('presentation') })
      await plant({ user, name: 'Sketch', mimeType: typeOf('drawing') })
      await plant({ user, name: 'Survey', mimeType: typeOf('form') })
      await plant({ user, name: 'Letter.docx', mimeType: typeOf('document') })
      const { id = '' } = await plant({ user, name: 'note.txt', text: 'the note', mimeType: 'text/plain' })
      await plant({ user, name: 'Way', mimeType: typeOf('shortcut'), target: id })
    })
    ids = await listed(names)
  })

  it('have no size and say what they can be exported as', async () => {
    const path = ['Attic']
    expect(ids.get('Diary')).toMatchObject({
      nativeKind: 'DOCUMENT',
      size: null,
      exportTypes: ['docx', 'pdf', 'odt', 'rtf', 'md', 'txt', 'epub'],
      webUrl: expect.stringMatching(/^https:\/\/docs\.google\.com\/document\//),
      home: 'ACCOUNT',
      accountId: account,
      rights: { read: true },
      path,
    })
    expect(ids.get('Sums')).toMatchObject({ size: null, exportTypes: ['xlsx', 'pdf', 'ods', 'csv', 'tsv'] })
    expect(ids.get('Survey')).toMatchObject({ nativeKind: 'OTHER', size: null, exportTypes: [] })
    expect(ids.get('note.txt')).toMatchObject({ nativeKind: null, size: 8, exportTypes: [], path })
    expect(await get(`/files/${idOf('Diary')}`)).toMatchObject({ size: null, path })

    const query = `query ($id: ID!) { viewer { file(id: $id) { size exportTypes nativeKind } } }`
    const answer = await browser.request('POST', '/graphql', { query, variables: { id: idOf('Diary') } })
    expect(answer.body.data.viewer.file).toEqual({
      size: null,
      exportTypes: ['docx', 'pdf', 'odt', 'rtf', 'md', 'txt', 'epub'],
      nativeKind: 'DOCUMENT',
    })
  })

  it('are sorted by size like what has 0 bytes, and not counted', async () => {
    const sorted = async (sort: string) =>
      (await get(`/files?parentId=${root}&sort=${sort}&limit=3`)).items.map(({ size }: { size: unknown }) => size)
    expect(await sorted('size')).toEqual([null, null, null])
    expect(await sorted('-size')).toEqual([8, null, null])
    const query = `query ($id: ID!) { viewer { file(id: $id) { contentSize } } }`
    const answer = await browser.request('POST', '/graphql', { query, variables: { id: root } })
    expect(answer.body.data.viewer.file.contentSize).toBe(8)
  })

  it('are downloaded as the type that is asked for, under its name', async () => {
    const pdf = await exportOf(idOf('Diary'), '?type=pdf')
    expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    expect(pdf.headers.get('content-disposition')).toMatch(/^attachment; filename="Diary\.pdf"/)
    expect(pdf.body).toContain('Diary as application/pdf')
    const usual = await exportOf(idOf('Sums'))
    expect(usual.headers.get('content-disposition')).toContain('"Sums.xlsx"')
    expect(usual.headers.get('content-type')).toBe(`${OFFICE}.spreadsheetml.sheet`)
    expect(usual.body).toBe(`Sums as ${OFFICE}.spreadsheetml.sheet`)
    const named = await exportOf(idOf('Letter.docx'))
    expect(named.headers.get('content-disposition')).toContain('"Letter.docx"')
    expect((await exportOf(idOf('Talk'))).headers.get('content-disposition')).toContain('"Talk.pptx"')
    expect((await exportOf(idOf('Sketch'))).headers.get('content-disposition')).toContain('"Sketch.pdf"')

    const shown = await exportOf(idOf('Diary'), '?type=pdf&disposition=inline')
    expect(shown.headers.get('content-disposition')).toMatch(/^inline/)
    const before = emulators.log().length
    const head = await exportOf(idOf('Diary'), '?type=pdf', 'HEAD')
    expect([head.status, head.headers.get('content-type'), head.body]).toEqual([200, 'application/pdf', ''])
    const asked = emulators.log().slice(before)
    expect(asked.filter(({ operation }) => operation === 'drive.files.export')).toEqual([])
  })

  it('are refused with the reason', async () => {
    expect(errorOf(await exportOf(idOf('Diary'), '?type=xlsx'))).toEqual([
      400,
      'INVALID_INPUT',
      '“Diary” can be downloaded as docx, pdf, odt, rtf, md, txt, epub, not as xlsx.',
    ])
    const conflicts = [await exportOf(idOf('note.txt')), await exportOf(idOf('Way')), await exportOf(idOf('Survey'))]
    expect(conflicts.map(errorOf)).toEqual([
      [409, 'CONFLICT', '“note.txt” is an ordinary file, which has its own format. Please download it as it is.'],
      [409, 'CONFLICT', '“Way” is a shortcut. Please download what it points to.'],
      [409, 'CONFLICT', '“Survey” can only be opened at its provider.'],
    ])
    expect(errorOf(await exportOf(root))).toEqual([
      409,
      'CONFLICT',
      '“Attic” is a folder. Please download it as a ZIP.',
    ])
    const download = await browser.request('GET', `/api/v1/files/${idOf('Diary')}/download`)
    expect(errorOf(download)).toEqual([
      503,
      'CONTENT_UNAVAILABLE',
      '“Diary” is a document of its provider without a file. Please download it as docx, pdf, odt, rtf, md, txt, epub, or open it there.',
    ])
    await google.commands.plant({ user, name: 'Long', mimeType: typeOf('document'), exportBytes: 11 * 1024 ** 2 })
    const long = (await listed([...names, 'Long'])).get('Long')?.id ?? ''
    expect(errorOf(await exportOf(long))).toEqual([
      413,
      'TOO_LARGE',
      '“Long” is too large: “Attic” does not convert it. Please open it there.',
    ])
  })

  it('are not sent when the account does not send them', async () => {
    emulators.plan({ kind: 'serverError', operation: 'drive.files.export', count: 0 })
    expect(errorOf(await exportOf(idOf('Diary')))).toEqual([
      503,
      'CONTENT_UNAVAILABLE',
      'This file cannot be read now: “Attic” does not answer.',
    ])
    emulators.clearFaults()
    await google.commands.plant({ user, name: 'Wide', mimeType: typeOf('document'), exportBytes: 4_000_000 })
    const wide = (await listed([...names, 'Wide'])).get('Wide')?.id ?? ''
    expect((await exportOf(wide)).body).toHaveLength(4_000_000)
    emulators.plan({ kind: 'cutDown', operation: 'drive.files.export', bytes: 3_000_000 })
    await expect(exportOf(wide)).rejects.toThrow()
    await google.commands.remove({
      id: (await google.commands.objects({ user })).find(({ name }) => name === 'Talk')?.id ?? '',
    })
    expect((await exportOf(idOf('Talk'))).body.detail).toContain('“Attic” does not find it')
  })

  it('say that the account has to be connected again', async () => {
    google.commands.revokeUser({ user })
    const answer = await exportOf(idOf('Diary'))
    expect(errorOf(answer)).toEqual([
      503,
      'CONTENT_UNAVAILABLE',
      'This file cannot be read now: “Attic” needs to be connected again.',
    ])
  })

  it('are in a ZIP as their usual type, and what cannot be exported is in its list of errors', async () => {
    const zip = await browser.request('GET', `/api/v1/files/${root}/download`)
    expect(zip.status).toBe(200)
    const namesInZip = ['Diary.docx', 'Sums.xlsx', 'Talk.pptx', 'Sketch.pdf', 'Letter.docx', 'note.txt']
    for (const name of namesInZip) expect(zip.body).toContain(`Attic/${name}`)
    expect(zip.body).toContain('_errors.txt')
    expect(zip.body).toContain(`Diary as ${OFFICE}.wordprocessingml.document`)
    expect(zip.body).toContain('Attic/Survey: is missing here. “Survey” can only be opened at its provider.')
    expect(zip.body).toContain('Attic/Way: is missing here. “Way” is a shortcut.')
    const only = await browser.request('GET', `/api/v1/files/archive?ids=${idOf('Diary')},${idOf('note.txt')}`)
    expect(only.body).toContain('Diary.docx')
  })

  it('are sent to visitors of a link as their usual type', async () => {
    const stranger = createBrowser(server.url)
    const one = (await browser.request('POST', '/api/v1/shares', { fileId: idOf('Diary') })).body
    const answer = await stranger.request('GET', `/api/v1/shares/${one.id}/download`)
    expect([answer.status, answer.body]).toEqual([200, `Diary as ${OFFICE}.wordprocessingml.document`])
    expect(answer.headers.get('content-disposition')).toContain('"Diary.docx"')
    const form = (await browser.request('POST', '/api/v1/shares', { fileId: idOf('Survey') })).body
    const refused = await stranger.request('GET', `/api/v1/shares/${form.id}/download`)
    expect(errorOf(refused)).toEqual([
      503,
      'CONTENT_UNAVAILABLE',
      'This is temporarily unavailable. Please try again later.',
    ])
    const all = (await browser.request('POST', '/api/v1/shares', { fileId: root })).body
    const zip = await stranger.request('GET', `/api/v1/shares/${all.id}/download`)
    expect(zip.body).toContain('Attic/Sums.xlsx')
    expect(zip.body).toContain('Attic/Survey: is missing here. This is temporarily unavailable.')
  })
})

describe('documents of Dropbox', () => {
  it('are exported as their account offers it', async () => {
    await connectPerson('dropbox', async () => {
      const exportOptions = ['markdown', 'html', 'pdf']
      await dropbox.commands.plant({ user, path: '/Plan.paper', text: 'x', exportOptions })
    })
    const plan = (await listed(['Plan.paper'])).get('Plan.paper')
    expect(plan).toMatchObject({ nativeKind: 'DOCUMENT', size: null, exportTypes: ['md', 'html', 'pdf'] })
    const markdown = await exportOf(plan?.id ?? '', '?type=md')
    expect(markdown.headers.get('content-disposition')).toContain('"Plan.md"')
    expect(markdown.body).toBe('/Plan.paper as markdown')
    const usual = await exportOf(plan?.id ?? '')
    expect(usual.headers.get('content-disposition')).toContain('"Plan.pdf"')
    expect(errorOf(await exportOf(plan?.id ?? '', '?type=docx'))).toEqual([
      400,
      'INVALID_INPUT',
      '“Plan.paper” can be downloaded as md, html, pdf, not as docx.',
    ])
  })
})
