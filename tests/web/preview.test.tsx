import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { fetchText } from '../../web/features/Preview/fetchText.ts'
import { PreviewOverlay } from '../../web/features/Preview/PreviewOverlay.tsx'
import { previewKind } from '../../web/features/Preview/previewKind.ts'
import { LongText } from '../../web/features/Preview/text/LongText.tsx'
import { renderPage } from './support/renderPage.tsx'

afterEach(() => vi.restoreAllMocks())

const FILE = {
  id: 'file_2',
  __typename: 'File',
  kind: 'FILE',
  name: 'Quay.jpg',
  category: 'IMAGE',
  mimeType: 'image/jpeg',
  size: 2048,
  inlineUrl: '/api/v1/files/file_2/download?disposition=inline',
  downloadUrl: '/api/v1/files/file_2/download',
  nativeKind: null,
  exportTypes: [] as string[],
  webUrl: null,
  account: null,
  starred: false,
  trashedAt: null,
  rights: null,
}
const text = (name: string, mimeType = 'text/plain') => ({ ...FILE, name, mimeType, category: 'TEXT', inlineUrl: null })

async function openPreview(file: object | null, prevId: string | null = 'file_1', nextId: string | null = 'file_3') {
  const done: string[] = []
  const actions = {
    edit: (id: string) => done.push(`edit ${id}`),
    share: ({ name }: { name: string }) => done.push(`share ${name}`),
    star: (id: string, isStarred: boolean) => done.push(`star ${id} ${isStarred}`),
    rename: async () => undefined,
    renaming: null,
    setRenaming: (id: string | null) => done.push(`rename ${id}`),
  }
  const opener = document.createElement('button')
  document.body.append(opener)
  opener.focus()
  const page = renderPage(
    <PreviewOverlay
      fileId="file_2"
      prevId={prevId}
      nextId={nextId}
      onNavigate={(id) => done.push(`go ${id}`)}
      onDetails={(id) => done.push(`details ${id}`)}
      actions={actions}
      onClose={() => done.push('close')}
    />,
  )
  act(() =>
    page.environment.mock.resolve(find(page, 'PreviewOverlayQuery'), { data: { viewer: { id: 'u', file } } as never }),
  )
  await screen.findByRole('dialog', { name: 'Preview' })
  return { ...page, done, opener }
}

function find({ environment }: ReturnType<typeof renderPage>, name: string) {
  const operation = environment.mock.getAllOperations().find(({ request }) => request.node.params.name === name)
  if (!operation) throw new Error(`${name} was not asked`)
  return operation
}

const answerWith = (body: string) =>
  vi.spyOn(window, 'fetch').mockImplementation(() => Promise.resolve(new Response(body) as never))

test('a picture is shown from its safe address, fitted, and can be zoomed', async () => {
  await openPreview(FILE)
  const picture = await screen.findByRole<HTMLImageElement>('img', { name: 'Quay.jpg' })
  expect(picture.getAttribute('src')).toBe(FILE.inlineUrl)
  expect(screen.getByText('Fit')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Zoom in' }))
  expect(screen.getByText('100%')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Fit to window' }))
  expect(screen.getByText('Fit')).toBeTruthy()
})

test('arrow keys go to the neighbours, Escape and Space close', async () => {
  const { done } = await openPreview(FILE)
  await userEvent.keyboard('{ArrowLeft}{ArrowRight} {Escape}')
  expect(done).toEqual(['go file_1', 'go file_3', 'close', 'close'])
})

test('at the ends of the list there is nothing to go to', async () => {
  const { done } = await openPreview(FILE, null, null)
  await userEvent.keyboard('{ArrowLeft}{ArrowRight}')
  expect(done).toEqual([])
  expect(screen.queryByRole('button', { name: 'Next file' })).toBeNull()
})

test('the focus stays inside while it is open and goes back when it closes', async () => {
  const { unmount, opener } = await openPreview(FILE)
  const dialog = screen.getByRole('dialog', { name: 'Preview' })
  for (let presses = 0; presses < 12; presses++) {
    await userEvent.tab()
    expect(dialog.contains(document.activeElement)).toBe(true)
  }
  unmount()
  expect(document.activeElement).toBe(opener)
})

test('keys do not reach the list below', async () => {
  const heard: string[] = []
  const listen = (event: KeyboardEvent) => heard.push(event.key)
  window.addEventListener('keydown', listen)
  await openPreview(FILE)
  await userEvent.keyboard('{Delete}s')
  window.removeEventListener('keydown', listen)
  expect(heard).toEqual([])
})

test('the file can be shared, starred and renamed where it is shown', async () => {
  const { done } = await openPreview(FILE)
  for (const name of ['Share', 'Add star', 'Rename']) {
    await userEvent.click(await screen.findByRole('button', { name }))
  }
  expect(done).toEqual(['share Quay.jpg', 'star file_2 true', 'rename file_2'])
})

test('nothing is offered that cannot be done: renaming where an account forbids it, sharing in the trash', async () => {
  const { unmount } = await openPreview({ ...FILE, rights: { read: true, rename: false } })
  await screen.findByRole('button', { name: 'Share' })
  expect(screen.queryByRole('button', { name: 'Rename' })).toBeNull()
  unmount()
  await openPreview({ ...FILE, trashedAt: '2026-03-01T00:00:00.000Z' })
  await screen.findByRole('button', { name: 'Details' })
  expect(screen.queryByRole('button', { name: 'Share' })).toBeNull()
})

test('leads to the details', async () => {
  const { done } = await openPreview(FILE)
  await userEvent.click(await screen.findByRole('button', { name: 'Details' }))
  expect(done).toEqual(['details file_2'])
})

test('text is shown as text with numbered lines, whatever it contains', async () => {
  answerWith('<script>alert(1)</script>\nsecond')
  await openPreview(text('page.html', 'text/html'))
  await screen.findByText(/<script>alert\(1\)<\/script>/)
  expect(document.querySelector('script')).toBeNull()
  expect(document.querySelector('.lines')?.textContent).toBe('1\n2')
})

test('on phones the lines of plain text are wrapped, those of code are not', async () => {
  answerWith('first')
  await openPreview(text('Letter.txt'))
  await screen.findByText('first')
  expect(document.querySelector('.wrapped')).not.toBeNull()
  cleanup()
  answerWith('let a = 1')
  await openPreview(text('page.js', 'text/javascript'))
  await screen.findByText('let a = 1')
  expect(document.querySelector('.wrapped')).toBeNull()
})

test('a drawing that could run scripts is shown as an image, in which nothing runs; a broken one as text', async () => {
  answerWith('<svg onload="alert(1)"/>')
  await openPreview({ ...FILE, name: 'logo.svg', mimeType: 'image/svg+xml', inlineUrl: null })
  const image = await screen.findByRole<HTMLImageElement>('img', { name: 'logo.svg' })
  expect(image.src).toMatch(/^blob:/)
  fireEvent.error(image)
  await screen.findByText('<svg onload="alert(1)"/>')
  expect(screen.queryByRole('img', { name: 'logo.svg' })).toBeNull()
})

test('Markdown becomes a page; HTML in it, unsafe links and pictures do not', async () => {
  answerWith(
    '# Notes\n\n- **one**\n\n[ok](https://example.org) [bad](javascript:alert(1)) ![pic](https://x.org/p.png)\n\n<b>raw</b>',
  )
  await openPreview(text('notes.md'))
  await screen.findByRole('heading', { name: 'Notes' })
  expect(screen.getByText('one').tagName).toBe('STRONG')
  expect(screen.getByRole('link', { name: 'ok' }).getAttribute('rel')).toBe('noopener noreferrer')
  expect(screen.queryByRole('link', { name: 'bad' })).toBeNull()
  expect(document.querySelector('.prose img')).toBeNull()
  expect(screen.getByText(/<b>raw<\/b>/)).toBeTruthy()
})

test('a type without a preview offers the download', async () => {
  await openPreview({
    ...FILE,
    name: 'a.bin',
    category: 'OTHER',
    mimeType: 'application/octet-stream',
    inlineUrl: null,
  })
  await screen.findByText('There is no preview for this type of file.')
  expect(screen.getAllByRole('button', { name: 'Download' })).toHaveLength(2)
})

const DOCUMENT = {
  ...text('Diary', 'application/vnd.google-apps.document'),
  category: 'DOCUMENT',
  size: null,
  nativeKind: 'DOCUMENT',
  exportTypes: ['docx', 'pdf'],
  webUrl: 'https://docs.google.com/document/d/x/edit',
  account: { providerName: 'Google Drive' },
}

test('a native document is shown as the PDF that its provider makes, and has its formats', async () => {
  vi.stubGlobal('navigator', Object.assign(Object.create(navigator), { pdfViewerEnabled: true }))
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:pdf')
  const asked = answerWith('%PDF')
  await openPreview(DOCUMENT)
  await waitFor(() => expect(document.querySelector('iframe')?.getAttribute('src')).toBe('blob:pdf'))
  expect(asked.mock.calls[0]?.[0]).toBe('/api/v1/files/file_2/export?type=pdf&disposition=inline')
  screen.getByText('Google Doc')
  screen.getByRole('button', { name: 'Open in Google Drive' })
  await userEvent.click(screen.getByRole('button', { name: 'Download as…' }))
  screen.getByRole('menuitem', { name: 'Word (.docx)' })
  vi.unstubAllGlobals()
})

test('a native document that cannot be shown says why, and where it can be opened', async () => {
  vi.stubGlobal('navigator', Object.assign(Object.create(navigator), { pdfViewerEnabled: true }))
  const body = JSON.stringify({ detail: '“Diary” is too large: “Studio” does not convert it. Please open it there.' })
  vi.spyOn(window, 'fetch').mockImplementation(() => Promise.resolve(new Response(body, { status: 413 }) as never))
  await openPreview(DOCUMENT)
  await screen.findByText(/^“Diary” is too large/)
  expect(screen.getByRole('link', { name: 'Open in Google Drive' }).getAttribute('href')).toBe(DOCUMENT.webUrl)
  vi.unstubAllGlobals()
})

test('a file that is gone says so and can be closed', async () => {
  const { done } = await openPreview(null)
  await screen.findByText('This file no longer exists')
  await userEvent.click(screen.getByRole('button', { name: 'Close preview' }))
  expect(done).toEqual(['close'])
})

test('two quiet retries, then words and a button', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const page = renderPage(
    <PreviewOverlay
      fileId="f"
      prevId={null}
      nextId={null}
      onNavigate={() => 0}
      onDetails={() => 0}
      actions={{
        edit: () => 0,
        share: () => 0,
        star: () => 0,
        rename: async () => undefined,
        renaming: null,
        setRenaming: () => 0,
      }}
      onClose={() => 0}
    />,
  )
  for (let attempt = 0; attempt < 3; attempt++) {
    await waitFor(() => find(page, 'PreviewOverlayQuery'))
    act(() => page.environment.mock.reject(find(page, 'PreviewOverlayQuery'), new Error('down')))
  }
  await screen.findByText('This could not be loaded. Check your connection; your files are safe.')
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy()
})

test.each([
  ['photo.png', 'IMAGE', 'image/png', '/i', 'image'],
  ['photo.heic', 'IMAGE', 'image/heic', null, 'none'],
  ['a.pdf', 'PDF', 'application/pdf', '/i', 'pdf'],
  ['a.mp4', 'VIDEO', 'video/mp4', '/i', 'video'],
  ['a.mp3', 'AUDIO', 'audio/mpeg', '/i', 'audio'],
  ['main.ts', 'OTHER', 'video/mp2t', null, 'text'],
  ['data.json', 'OTHER', 'application/json', null, 'json'],
  ['README.md', 'TEXT', 'text/markdown', '/i', 'markdown'],
  ['x.html', 'TEXT', 'text/html', '/i', 'text'],
  ['a.docx', 'DOCUMENT', 'application/zip', null, 'docx'],
  ['a.xlsx', 'SPREADSHEET', null, null, 'xlsx'],
  ['a.pptx', 'PRESENTATION', null, null, 'pptx'],
  ['a.tar.gz', 'OTHER', 'application/gzip', null, 'tgz'],
  ['a.epub', 'DOCUMENT', 'application/epub+zip', null, 'epub'],
  ['a.epub', 'OTHER', 'application/zip', null, 'epub'],
  ['a book', 'DOCUMENT', 'application/epub+zip', null, 'epub'],
  ['a.csv', 'SPREADSHEET', 'text/csv', null, 'delimited'],
  ['a.woff2', 'OTHER', 'font/woff2', null, 'font'],
  ['a.docx', 'TEXT', 'text/html', null, 'text'],
  ['archive', 'OTHER', 'application/zip', null, 'zip'],
  ['a.doc', 'DOCUMENT', 'application/msword', null, 'none'],
])('%s (%s) is shown as %s', (name, category, mimeType, inlineUrl, kind) => {
  expect(previewKind({ kind: 'FILE', name, category, mimeType, inlineUrl })).toBe(kind)
})

test('only the first MiB of a text is read, and said to be a part', async () => {
  const asked = answerWith('x'.repeat(1024 * 1024))
  const part = await fetchText('/big', 5 * 1024 * 1024, new AbortController().signal)
  expect(asked.mock.calls[0]?.[1]?.headers).toEqual({ Range: 'bytes=0-1048575' })
  expect(part).toMatchObject({ isCut: true })
})

test('a long text that jumps back to its beginning asks for nothing around the part that was shown before', async () => {
  const bytes = new TextEncoder().encode(
    Array.from({ length: 60_000 }, (_, at) => `line ${at + 1} of the log\n`).join(''),
  )
  const ranges: string[] = []
  vi.spyOn(window, 'fetch').mockImplementation((_url, init) => {
    const range = new Headers(init?.headers).get('range') ?? ''
    ranges.push(range)
    const [, from = 0, to = 0] = (/(\d+)-(\d+)/.exec(range) ?? []).map(Number)
    return Promise.resolve(new Response(bytes.slice(from, to + 1), { status: 206 }) as never)
  })
  render(<LongText name="server.log" url="/log" size={bytes.length} cannotShow={(reason) => reason} />)
  const region = await screen.findByRole('region', { name: 'server.log' })
  let top = 0
  Object.defineProperties(region, {
    scrollHeight: { value: 200_000 },
    clientHeight: { value: 500 },
    // A browser reports that it has scrolled before React has run the effects that wait for the next frame.
    scrollTop: {
      get: () => top,
      set(value: number) {
        top = value
        region.dispatchEvent(new Event('scroll'))
      },
    },
  })
  fireEvent.keyDown(region, { key: 'End' })
  await waitFor(() => expect(region.textContent).toMatch(/line 5\d{4} of/))
  ranges.length = 0
  fireEvent.keyDown(region, { key: 'Home' })
  await waitFor(() => expect(region.textContent).toContain('line 1 of'))
  expect(ranges).toEqual(['bytes=0-262143'])
})

test.each([
  [404, 'it is no longer available here'],
  [401, 'access to it has ended. Reload the page'],
  [429, 'there were too many requests. Wait a minute and try again'],
  [503, 'it cannot be read at the moment'],
])('a file that the server refuses with %i says why it is not shown', async (status, reason) => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null, { status }))
  await openPreview(text('notes.txt'))
  await screen.findByText(`This file cannot be shown: ${reason}.`)
  cleanup()
  await openPreview(FILE)
  fireEvent.error(await screen.findByRole('img', { name: 'Quay.jpg' }))
  await screen.findByText(`This file cannot be shown: ${reason}.`)
})

test('a picture without a connection is not said to be unreadable', async () => {
  vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('Failed to fetch'))
  await openPreview(FILE)
  fireEvent.error(await screen.findByRole('img', { name: 'Quay.jpg' }))
  await screen.findByText(/it could not be loaded. Check your connection and try again/)
})
