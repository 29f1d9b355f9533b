import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DetailsPanel } from '../../web/features/Details/DetailsPanel.tsx'
import { detailPolicy, markRead } from '../../web/features/Details/detailFreshness.ts'
import type { DetailsTab } from '../../web/features/Details/tabs.ts'
import { filesChanges } from '../../web/features/Live/liveEvents.ts'
import { renderPage, setMobile } from './support/renderPage.tsx'

beforeEach(() => setMobile(false))
afterEach(() => vi.restoreAllMocks())

const GB = 1024 ** 3
const quota = { usedBytes: GB, totalBytes: 2 * GB, reservedBytes: 0, freeBytes: GB }
const account = (id: string, name: string, hue: number) => ({
  id,
  name,
  hue,
  status: 'CONNECTED',
  provider: 'local',
  providerName: 'This server',
  glyph: 'SERVER',
  quota,
})
const FILE = {
  id: 'file_1',
  __typename: 'File',
  home: 'POOL',
  kind: 'FILE',
  name: 'Harbour walkthrough 4K.mov',
  category: 'VIDEO',
  mimeType: 'video/quicktime',
  size: 1536,
  contentSize: null,
  childCount: null,
  inlineUrl: null,
  tags: [],
  color: null,
  sha256: `${'9f2c41d7'.padEnd(60, '0')}b06e`,
  state: 'STORED',
  stateReason: null,
  createdAt: '2026-11-08T17:52:00Z',
  updatedAt: '2026-11-08T17:40:00Z',
  trashedAt: null,
  parent: { id: 'file_9', name: 'Harbour House' },
  storedIn: [{ id: 'acc_2' }],
  shares: [],
  groupCloud: {
    id: 'gcl_1',
    name: 'Studio pool',
    quota,
    members: [{ account: account('acc_1', 'Drive', 1) }, { account: account('acc_2', 'Box', 2) }],
  },
  copies: [
    {
      id: 'cpy_1',
      state: 'STORED',
      why: 'Box has the most free space.',
      changedAt: null,
      checkedAt: '2026-11-20T04:00:00Z',
      pieces: [
        { index: 0, size: 1024, account: account('acc_2', 'Box', 2) },
        { index: 1, size: 512, account: account('acc_1', 'Drive', 1) },
      ],
    },
  ],
}

const actor = (id: string, actorKind: string, actorName: string) => ({
  edges: [{ node: { __typename: 'Activity', id, actorKind, actorName } }],
})

/** Who did it, as the activity log says. */
const WHO = { changed: actor('act_2', 'SESSION', 'Chrome on Linux'), added: actor('act_1', 'KEY', 'Backup') }

type Page = ReturnType<typeof renderPage>

function Panel({ ids, onClose = () => undefined }: { ids: readonly string[]; onClose?: () => void }) {
  const [tab, setTab] = useState<DetailsTab>('details')
  return <DetailsPanel fileIds={ids} onClose={onClose} tab={tab} onTab={setTab} />
}

async function answer({ environment }: Page, name: string, data: object) {
  const asked = () => environment.mock.getAllOperations().find(({ request }) => request.node.params.name === name)
  await waitFor(() => expect(asked()).toBeTruthy())
  const operation = asked()
  if (operation) act(() => environment.mock.resolve(operation, { data: data as never }))
}

const openFile = async (file: object | null) => {
  const page = renderPage(<Panel ids={['file_1']} />)
  await answer(page, 'OneDetailsQuery', { viewer: { id: 'u', file, ...WHO } })
  return page
}

test('says where a file is stored, copy by copy, and why', async () => {
  await openFile(FILE)
  await screen.findByText('Where it is stored')
  expect(screen.getByText('Stored')).toBeTruthy()
  expect(screen.getByText('Studio pool')).toBeTruthy()
  expect(screen.getByText('1.00 GB free of 2.00 GB')).toBeTruthy()
  expect(screen.getByText('Copy 1')).toBeTruthy()
  expect(screen.getByText('2 pieces')).toBeTruthy()
  expect(screen.getByText('1.00 KB')).toBeTruthy()
  expect(screen.getByText('Box has the most free space.')).toBeTruthy()
  expect([...document.querySelectorAll('.pins i')].map(({ className }) => className)).toEqual(['', 'on'])
})

test('a copy in an account that has expired does not count, and says so', async () => {
  const inAccount = (id: string, status: string) => ({
    ...FILE.copies[0],
    id: `cpy_${id}`,
    pieces: [{ index: 0, size: 1536, account: { ...account(id, id, 1), status } }],
  })
  const copies = [inAccount('a', 'EXPIRED'), inAccount('b', 'CONNECTED'), inAccount('c', 'CONNECTED')]
  await openFile({ ...FILE, copies })
  await screen.findByText('Stored, 2 copies')
  expect(screen.getAllByText('Whole file')).toHaveLength(2)
  expect(screen.getByText('Whole file, cannot be read now')).toBeTruthy()
})

test('shows the properties, with a way to the folder', async () => {
  await openFile(FILE)
  expect((await screen.findByRole('link', { name: 'Harbour House' })).getAttribute('href')).toBe(
    '/file-manager/my-drive?folder=file_9',
  )
  expect(screen.getByText('video/quicktime')).toBeTruthy()
  expect(screen.getByText('1.50 KB')).toBeTruthy()
  expect(screen.getByText('9f2c41d7…b06e')).toBeTruthy()
  expect(screen.getByText('Modified').nextElementSibling?.textContent).toMatch(/ by you$/)
  expect(screen.getByText('Added').nextElementSibling?.textContent).toMatch(/ by Backup$/)
  expect(screen.getByText('Checked').nextElementSibling?.textContent).toMatch(/, all pieces match$/)
})

test('of a copy that somebody changed in its account it says so, and keeps that version as a new file', async () => {
  const [copy] = FILE.copies
  const changed = {
    ...copy,
    id: 'cpy_2',
    state: 'MISSING',
    changedAt: '2026-11-20T10:00:00Z',
    pieces: [copy?.pieces[0]],
  }
  const page = await openFile({ ...FILE, copies: [copy, changed] })
  expect(await screen.findByText('This file was changed in “Box”. The new version stays there.')).toBeTruthy()
  expect(screen.getByText('Stored')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Keep it as a new file' }))
  const sent = page.environment.mock.getMostRecentOperation()
  expect(sent.request.variables).toEqual({ input: { copyId: 'cpy_2' } })
  const file = { id: 'file_7', name: 'Harbour walkthrough 4K (2).mov' }
  const data = { keepChangedVersion: { __typename: 'KeepChangedVersionPayload', file } }
  act(() => page.environment.mock.resolve(sent, { data }))
  expect((await screen.findAllByText('Saved as “Harbour walkthrough 4K (2).mov”')).length).toBeGreaterThan(0)
})

test('copies the checksum, and says so or why not', async () => {
  const written: string[] = []
  const writeText = vi.fn((text: string) => Promise.resolve(void written.push(text)))
  vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue({ writeText } as unknown as Clipboard)
  await openFile(FILE)
  const copy = await screen.findByRole('button', { name: 'Copy SHA-256' })
  act(() => copy.click())
  await screen.findByText('Copied to clipboard')
  expect(written).toEqual([FILE.sha256])
  writeText.mockRejectedValueOnce(new Error('because it is not allowed'))
  act(() => copy.click())
  await screen.findByText('Failed to copy because it is not allowed')
})

test('a file at risk says why', async () => {
  await openFile({ ...FILE, state: 'AT_RISK', stateReason: 'Dropbox must be connected again.' })
  await screen.findByText('At risk')
  expect(screen.getByText(/Dropbox must be connected again\./)).toBeTruthy()
})

test('a file that changes elsewhere is read again', async () => {
  const page = await openFile({ ...FILE, state: 'STORING' })
  await screen.findByText('Storing')
  const change = { removedIds: [], parentIds: [], truncated: false }
  act(() => filesChanges.say({ ...change, files: [] }))
  act(() => filesChanges.say({ ...change, files: [{ id: 'file_1' } as never] }))
  await answer(page, 'OneDetailsQuery', { viewer: { id: 'u', file: FILE, ...WHO } })
  await screen.findByText('Stored')
})

test('a change that arrived while the file was being read is not missed', async () => {
  const change = { removedIds: [], parentIds: [], truncated: false }
  const page = renderPage(<Panel ids={['file_3']} />)
  await waitFor(() => expect(page.environment.mock.getAllOperations()).toHaveLength(1))
  act(() => filesChanges.say({ ...change, files: [{ id: 'file_3' } as never] }))
  const file = { ...FILE, id: 'file_3' }
  await answer(page, 'OneDetailsQuery', { viewer: { id: 'u', file: { ...file, state: 'STORING' }, ...WHO } })
  await screen.findByText('Storing')
  await answer(page, 'OneDetailsQuery', { viewer: { id: 'u', file, ...WHO } })
  await screen.findByText('Stored')
})

const activities = (from: number, to: number, hasNextPage: boolean) => ({
  viewer: {
    id: 'u',
    activities: {
      edges: Array.from({ length: to - from }, (_, index) => ({
        node: {
          id: `act_${from + index}`,
          at: '2026-11-08T17:40:00Z',
          sentence: `Number ${from + index}.`,
          actorKind: 'KEY',
          actorName: 'Backup script',
          address: '',
        },
      })),
      pageInfo: { endCursor: String(to), hasNextPage },
    },
  },
})

/** Without what every page asks for its transfers. */
const asked = ({ environment }: Page) =>
  environment.mock
    .getAllOperations()
    .filter(({ request }) => request.node.params.name !== 'JobsWatchQuery')
    .map(({ request }) => [request.node.params.name, request.variables])

test('what was done to it is read when its tab is opened, page by page, and stays up to date', async () => {
  const page = await openFile(FILE)
  const tab = (name: string) => screen.findByRole('tab', { name })
  expect(asked(page)).toEqual([])
  await userEvent.click(await tab('Details'))
  await userEvent.keyboard('{ArrowRight}')
  expect(document.activeElement).toBe(await tab('Activity'))
  await answer(page, 'ActivityPageQuery', activities(1, 9, true))
  const list = within(await screen.findByRole('list', { name: 'Activity' }))
  expect(list.getAllByRole('listitem')[0]?.textContent).toMatch(/^Number 1\..*Backup script$/)
  expect(screen.queryByText('Where it is stored')).toBeNull()

  await userEvent.click(screen.getByRole('button', { name: 'Show more' }))
  await waitFor(() => expect(asked(page)).toMatchObject([['ActivityPageQuery', { after: '9', fileId: 'file_1' }]]))
  await answer(page, 'ActivityPageQuery', activities(9, 12, false))
  await list.findByText('Number 11.')
  expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull()

  const change = { removedIds: [], parentIds: [], truncated: false }
  act(() => filesChanges.say({ ...change, files: [{ id: 'file_1' } as never] }))
  await answer(page, 'ActivityPageQuery', activities(0, 12, false))
  await list.findByText('Number 0.')
  expect(list.getAllByRole('listitem')).toHaveLength(12)
})

test('its links have a tab of their own', async () => {
  const page = await openFile(FILE)
  expect(screen.queryByRole('region', { name: 'Sharing' })).toBeNull()
  await userEvent.click(await screen.findByRole('tab', { name: 'Sharing' }))
  expect(screen.getByText('Not shared. Only you can see it.')).toBeTruthy()
  expect(asked(page)).toEqual([])
})

test('a folder says what it holds instead of where it is stored', async () => {
  const folder = {
    ...FILE,
    kind: 'FOLDER',
    category: 'FOLDER',
    name: 'Drawings',
    size: 0,
    contentSize: 2048,
    childCount: 3,
  }
  await openFile({ ...folder, mimeType: null, sha256: null, copies: [], storedIn: [], parent: null })
  await screen.findByText('3 items')
  expect(screen.getByText('Folder · 2.00 KB')).toBeTruthy()
  expect(screen.queryByText('Where it is stored')).toBeNull()
  expect(screen.getByRole('link', { name: 'My Drive' })).toBeTruthy()
})

test('a folder of an account that is still being listed has no number of entries and no size yet', async () => {
  const folder = { ...FILE, kind: 'FOLDER', category: 'FOLDER', name: 'Drawings', size: 0, contentSize: 0 }
  await openFile({ ...folder, mimeType: null, sha256: null, copies: [], storedIn: [], parent: null })
  await waitFor(() => expect(screen.getAllByText('counting…')).toHaveLength(2))
  expect(screen.queryByText(/^Folder · /)).toBeNull()
  expect(screen.queryByText('0 items')).toBeNull()
})

test('several files are summed up', async () => {
  const page = renderPage(<Panel ids={['a', 'b', 'c']} />)
  const storedIn = [{ id: 'acc_1', name: 'Drive' }]
  const filesSummary = { count: 3, files: 2, folders: 1, contentBytes: 2048, storedIn }
  await answer(page, 'ManyDetailsQuery', { viewer: { id: 'user_1', filesSummary } })
  await screen.findByText('3 selected')
  expect(screen.getAllByText('2.00 KB')).toHaveLength(2)
  expect(screen.getByText('1 folder, 2 files')).toBeTruthy()
  expect(screen.getByText('Drive')).toBeTruthy()
})

test('nothing selected, and a file that is gone, are said in words', async () => {
  const { unmount } = renderPage(<Panel ids={[]} />)
  expect(screen.getByText('Nothing selected')).toBeTruthy()
  unmount()
  await openFile(null)
  await screen.findByText('This file no longer exists')
})

test('the last file stays until the next one is there, and the tab from file to file', async () => {
  function Following() {
    const [id, setId] = useState('file_1')
    return (
      <>
        <button type="button" onClick={() => setId('file_2')}>
          next
        </button>
        <Panel ids={[id]} />
      </>
    )
  }
  const page = renderPage(<Following />)
  await answer(page, 'OneDetailsQuery', { viewer: { id: 'u', file: FILE, ...WHO } })
  await screen.findByText('Video · 1.50 KB')
  await userEvent.click(screen.getByRole('button', { name: 'next' }))
  expect(screen.getByText('Video · 1.50 KB')).toBeTruthy()
  await userEvent.click(screen.getByRole('tab', { name: 'Sharing' }))
  await answer(page, 'OneDetailsQuery', { viewer: { id: 'u', file: { ...FILE, id: 'file_2', size: 5 }, ...WHO } })
  await screen.findByText('Video · 5 Bytes')
  expect(screen.getByRole('region', { name: 'Sharing' })).toBeTruthy()
})

test('on a narrow screen it is a sheet', async () => {
  setMobile(true)
  const closed = vi.fn()
  renderPage(<Panel ids={[]} onClose={closed} />)
  await screen.findByRole('dialog', { name: 'Details' })
  await userEvent.keyboard('{Escape}')
  expect(closed).toHaveBeenCalled()
})

test('details are read again after a minute', () => {
  expect(detailPolicy('fresh', 0)).toBe('store-and-network')
  markRead('fresh', 0)
  expect(detailPolicy('fresh', 59_000)).toBe('store-or-network')
  expect(detailPolicy('fresh', 60_000)).toBe('store-and-network')
})
