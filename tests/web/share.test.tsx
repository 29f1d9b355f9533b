import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type FakeGraphql, startFakeGraphql } from './support/fakeGraphql.ts'
import { renderApp } from './support/renderApp.tsx'
import { setMobile } from './support/renderPage.tsx'

const ID = `share_${'a'.repeat(32)}`
const PATH = `/shares/${ID}`
const FILE = {
  __typename: 'PublicShare',
  id: `link_${'a'.repeat(32)}`,
  shareId: ID,
  needsPassword: false,
  name: 'Harbour view.bin',
  kind: 'FILE',
  category: 'OTHER',
  mimeType: 'application/octet-stream',
  size: 11,
  sharedBy: 'Maren',
  expiresAt: null,
  downloadsLeft: null,
  previews: false,
  available: true,
  files: null,
}
const LOCKED = { __typename: 'PublicShare', id: FILE.id, shareId: ID, needsPassword: true }

let server: FakeGraphql
beforeAll(async () => {
  server = await startFakeGraphql({})
})
afterAll(() => server.close())
beforeEach(() => {
  setMobile(false)
  server.state.failWith = null
  server.state.seen = []
})
afterEach(() => vi.restoreAllMocks())

async function open(share: unknown, search = '') {
  server.state.root = { share }
  return renderApp(`${server.origin}${PATH}${search}`)
}

/** What is asked of /api is answered here; all else goes to the fake server. */
function answerDownloads(answer: (url: string, init?: RequestInit) => Promise<Response>) {
  const through = window.fetch.bind(window)
  const asked: string[] = []
  vi.spyOn(window, 'fetch').mockImplementation(((input: string, init?: RequestInit) => {
    if (!String(input).startsWith('/api')) return through(input as never, init as never)
    asked.push(`${init?.method ?? 'GET'} ${input}`)
    return answer(String(input), init)
  }) as never)
  const saved: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download || this.getAttribute('href') || '')
  })
  return { asked, saved }
}

test('one question, which names nobody, and no live line', async () => {
  await open(FILE)
  await screen.findByRole('heading', { level: 1, name: FILE.name })
  expect(server.state.seen.map(({ name }) => name)).toEqual(['ShareQuery'])
  expect(server.streams.size).toBe(0)
  expect(screen.getByText('11 Bytes · shared by Maren')).toBeDefined()
  expect(document.title).toBe('Harbour view.bin · Skypool')
  expect(document.querySelector('meta[name=robots]')?.getAttribute('content')).toBe('noindex, nofollow')
})

test('a link that is unknown or has ended says one and the same', async () => {
  await open(null)
  await screen.findByRole('heading', { name: 'This link does not work' })
  expect(screen.queryByRole('button', { name: 'Download' })).toBeNull()
})

test('a file whose accounts cannot be read says so and can be asked for again', async () => {
  await open({ ...FILE, available: false })
  await screen.findByRole('heading', { name: 'Temporarily unavailable' })
  server.state.root = { share: FILE }
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await screen.findByRole('button', { name: 'Download' })
})

test('the password: empty, wrong, throttled, right', async () => {
  await open(LOCKED)
  const field = await screen.findByLabelText<HTMLInputElement>('Password')
  const unlock = () => userEvent.click(screen.getByRole('button', { name: 'Unlock' }))
  expect(document.activeElement).toBe(screen.getByLabelText('Password'))
  await unlock()
  await screen.findByText('Please enter the password.')
  const error = (more: object) => ({ code: 'WRONG_PASSWORD', message: 'No.', ...more })
  server.state.root.unlockShare = error({ __typename: 'WrongPasswordError' })
  await userEvent.type(field, 'south wall')
  await unlock()
  await screen.findByText('Incorrect password. Please try again.')
  expect(field.value).toBe('south wall')
  server.state.root.unlockShare = error({
    __typename: 'TooManyRequestsError',
    code: 'TOO_MANY_REQUESTS',
    retryAfterSeconds: 290,
  })
  await unlock()
  await screen.findByText('Too many attempts. Please wait 5 minutes and try again.')
  server.state.root.unlockShare = { __typename: 'UnlockSharePayload', share: FILE }
  await unlock()
  await screen.findByRole('button', { name: 'Download' })
  expect(server.state.seen.at(-1)?.variables).toEqual({ input: { id: ID, password: 'south wall' } })
})

test('a link that ends while its password is asked for', async () => {
  await open(LOCKED)
  await userEvent.type(await screen.findByLabelText('Password'), 'x')
  server.state.root = { share: null, unlockShare: { __typename: 'NotFoundError', code: 'NOT_FOUND', message: 'No.' } }
  await userEvent.click(screen.getByRole('button', { name: 'Unlock' }))
  await screen.findByRole('heading', { name: 'This link does not work' })
})

test('what cannot be loaded says why and is tried again', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  server.state.failWith = 500
  await open(FILE)
  await screen.findByRole('heading', { name: 'This page could not be loaded' })
  server.state.failWith = 429
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await screen.findByRole('heading', { name: 'Too many requests' })
  server.state.failWith = null
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await screen.findByRole('button', { name: 'Download' })
})

test('a small file is saved with its progress shown, and the last one of a limit is told', async () => {
  let send: (response: Response) => void = () => undefined
  const { asked, saved } = answerDownloads(() => new Promise((resolve) => (send = resolve)))
  await open({ ...FILE, downloadsLeft: 1, expiresAt: new Date(Date.now() + 6.2 * 86_400_000).toISOString() })
  await screen.findByText('Link expires in 6 days · 1 download left')
  expect(screen.getByText('A link with a download limit has no preview.')).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Download' }))
  await screen.findByRole('progressbar', { name: 'Download of Harbour view.bin' })
  await act(async () => send(new Response('eleven byte')))
  await screen.findByRole('button', { name: 'Downloaded' })
  expect(asked).toEqual([`GET /api/v1/shares/${ID}/download`])
  expect(saved).toEqual(['Harbour view.bin'])
  expect(screen.getByText(/0 downloads left/)).toBeDefined()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Downloaded' }).disabled).toBe(true)
})

test.each([
  [404, 'This is no longer available here. It may have been moved or deleted, or the link has ended.'],
  [401, 'The password is required again. Please reload the page.'],
  [429, 'Too many requests. Please wait a minute and try again.'],
  [503, 'The file cannot be read at the moment. Please try again later.'],
  [500, 'The server could not send the file. Please try again in a moment.'],
])('a download that is refused with %i says so', async (status, text) => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const { saved } = answerDownloads(async () => new Response('no', { status }))
  await open(FILE)
  await userEvent.click(await screen.findByRole('button', { name: 'Download' }))
  await screen.findByText(text)
  expect(screen.getByRole('button', { name: 'Try again' })).toBeDefined()
  expect(saved).toEqual([])
})

test('a download can be cancelled, and a lost line is said', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const answers = [
    (init?: RequestInit) =>
      new Promise<Response>((_resolve, reject) =>
        init?.signal?.addEventListener('abort', () => reject(new Error('cut'))),
      ),
    () => Promise.reject(new TypeError('network')),
  ]
  answerDownloads((_url, init) => answers.shift()?.(init) ?? Promise.reject(new Error('once too often')))
  await open(FILE)
  await userEvent.click(await screen.findByRole('button', { name: 'Download' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('progressbar')).toBeNull())
  await userEvent.click(screen.getByRole('button', { name: 'Download' }))
  await screen.findByText('The connection was lost. Please try again when you are back online.')
})

const entry = (id: string, name: string, more: object = {}) => ({
  cursor: id,
  node: {
    __typename: 'SharedFile',
    id: id.replace('file', 'entry'),
    fileId: id,
    name,
    kind: 'FILE',
    category: 'TEXT',
    mimeType: 'text/plain',
    size: 4,
    childCount: null,
    ...more,
  },
})
const FOLDER = { kind: 'FOLDER', category: 'FOLDER', mimeType: null, size: 0, childCount: 1 }
const pages: Record<string, object> = {
  top: { path: [], edges: [entry('file_2', 'Plans', FOLDER), entry('file_3', '<b>notes</b>.txt')], more: true },
  file_3: { path: [], edges: [entry('file_4', 'late.txt')], more: false },
  file_2: {
    path: [{ __typename: 'SharedFolder', id: 'crumb_2', fileId: 'file_2', name: 'Plans' }],
    edges: [],
    more: false,
  },
}
const SHARED_FOLDER = {
  ...FILE,
  ...FOLDER,
  name: 'Harbour House',
  files: ({ folderId, after }: { folderId?: string; after?: string }) => {
    const page = pages[after ?? folderId ?? 'top'] as { path: object[]; edges: { cursor: string }[]; more: boolean }
    if (!page) return null
    return { ...page, pageInfo: { endCursor: page.edges.at(-1)?.cursor ?? null, hasNextPage: page.more } }
  },
}

test('a folder: its entries, more of them, one of them alone, all as a ZIP', async () => {
  const { asked, saved } = answerDownloads(async () => new Response('text'))
  await open(SHARED_FOLDER)
  expect(await screen.findByRole('link', { name: '<b>notes</b>.txt' })).toBeDefined()
  await userEvent.click(screen.getByRole('button', { name: 'Show more' }))
  await screen.findByRole('link', { name: 'late.txt' })
  expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Download late.txt' }))
  await waitFor(() => expect(saved).toEqual(['late.txt']))
  await userEvent.click(screen.getByRole('button', { name: 'Download Plans' }))
  await waitFor(() => expect(saved).toHaveLength(2))
  await userEvent.click(screen.getByRole('button', { name: 'Download all' }))
  await waitFor(() => expect(saved).toHaveLength(3))
  const base = `/api/v1/shares/${ID}`
  expect(asked).toEqual([
    `GET ${base}/files/file_4/download`,
    `HEAD ${base}/files/file_2/download`,
    `HEAD ${base}/download`,
  ])
  expect(saved.slice(1)).toEqual([`${base}/files/file_2/download`, `${base}/download`])
})

test('a folder below, the way back, and one that is gone', async () => {
  const { navigation } = await open(SHARED_FOLDER)
  await userEvent.click(await screen.findByRole('link', { name: 'Plans' }))
  await screen.findByRole('heading', { name: 'This folder is empty' })
  await userEvent.click(screen.getByRole('link', { name: 'Harbour House' }))
  await screen.findByRole('link', { name: 'Plans' })
  act(() => navigation.navigator.push(`${PATH}?folder=file_9`))
  await screen.findByRole('heading', { name: 'This folder no longer exists' })
  await userEvent.click(screen.getByRole('link', { name: 'Go to the shared folder' }))
  await screen.findByRole('link', { name: 'Plans' })
})

test('a file of a folder is looked at in place, inertly', async () => {
  const { asked } = answerDownloads(async () => new Response('<script>alert(1)</script>'))
  await open(SHARED_FOLDER)
  const link = await screen.findByRole('link', { name: '<b>notes</b>.txt' })
  // The preview's code is waited for: only an awaited act lets it go on.
  await act(async () => void fireEvent.click(link))
  await screen.findByText('<script>alert(1)</script>')
  expect(asked).toEqual([`GET /api/v1/shares/${ID}/files/file_3/download?disposition=inline`])
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(window.location.search).toBe('')
})
