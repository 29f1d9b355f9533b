import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sayServerChange } from '../../web/relay/changes.ts'
import { attentionOf } from '../../web/screens/Dashboard/attention.ts'
import { formatMoment } from '../../web/screens/Dashboard/formatMoment.ts'
import { totalOf } from '../../web/screens/Dashboard/storage.ts'
import { partsOf } from '../../web/screens/Dashboard/TypeBar.tsx'
import { fakeAccount, fakeGroupCloud, fakeQuota, viewerWith } from './support/fakeClouds.ts'
import { type FakeGraphql, startFakeGraphql } from './support/fakeGraphql.ts'
import { renderApp } from './support/renderApp.tsx'
import { setMobile } from './support/renderPage.tsx'

let server: FakeGraphql
beforeAll(async () => {
  server = await startFakeGraphql({})
})
afterAll(() => server.close())
beforeEach(() => setMobile(false))

const drive = fakeAccount('acct_1', 'Drive')
const full = fakeAccount('acct_2', 'Box', { quota: fakeQuota(9, 10) })
const cold = fakeAccount('acct_3', 'Cold', { quota: fakeQuota(2, null) })
const old = fakeAccount('acct_4', 'Old', { status: 'EXPIRED', atRiskFiles: 3 })
const away = fakeAccount('acct_5', 'Away', { unreachableSince: new Date(Date.now() - 7_200_000).toISOString() })
const none = { files: 0, first: [] }

describe('what needs attention', () => {
  const titles = (data: Partial<Parameters<typeof attentionOf>[0]>) =>
    attentionOf({ accounts: [], atRisk: none, transfers: [], ...data }).map(({ title, text, remedy }) => [
      title,
      text,
      remedy.kind,
    ])

  test('is nothing while all is well', () => {
    expect(titles({ accounts: [drive, cold] })).toEqual([])
  })

  test('is the worst first, each with its way out', () => {
    const transfers = [
      { id: 'xfer_1', state: 'PARKED', error: 'There is no room.' },
      { id: 'xfer_2', state: 'FAILED', error: null },
      { id: 'xfer_3', state: 'RUNNING', error: null },
    ]
    const atRisk = { files: 4, first: [{ name: 'a.txt' }, { name: 'b.txt' }, { name: 'c.txt' }] }
    expect(titles({ accounts: [full, away, old, drive], atRisk, transfers })).toEqual([
      ['Google Drive · Old has expired', '3 files are at risk until you re-connect.', 'reconnect'],
      ['Google Drive · Away cannot be reached', 'Since 2 hours ago.', 'link'],
      ['4 files are at risk', '“a.txt”, “b.txt”, …', 'link'],
      ['2 copies were not made', 'There is no room.', 'retry'],
      ['Google Drive · Box is 90% full', '1.00 GB left. New files go to accounts with more free space.', 'link'],
    ])
  })
})

test('the total counts what is known, and says what is not', () => {
  expect(totalOf([drive, full, cold, old])).toEqual({
    figure: '11.00 GB',
    text: 'free of 25.00 GB in 4 accounts, plus one account of unknown size',
  })
  // Two copies of each file: the accounts have more.
  expect(totalOf([drive, full], { totalBytes: 25 * 1024 ** 3, freeBytes: 1024 ** 3 })).toEqual({
    figure: '1.00 GB',
    text: 'free of 25.00 GB in 2 accounts, counting the copies of each file',
  })
  expect(totalOf([cold])).toEqual({ figure: '2.00 GB', text: 'used in 1 account' })
  expect(totalOf([old])).toEqual({ figure: '0 Bytes', text: 'free: no account is available now' })
})

test('the largest four types stand by themselves', () => {
  const usage = ['IMAGE', 'PDF', 'VIDEO', 'AUDIO', 'TEXT', 'OTHER'].map((category, index) => ({
    category,
    bytes: index + 1,
  }))
  expect(partsOf(usage)).toEqual([
    { label: 'Text', bytes: 5 },
    { label: 'Audio', bytes: 4 },
    { label: 'Video', bytes: 3 },
    { label: 'PDF', bytes: 2 },
    { label: 'Other', bytes: 7 },
  ])
  expect(partsOf([])).toEqual([])
})

test('a moment is told as shortly as it can', () => {
  const now = new Date(2026, 10, 21, 12)
  expect(formatMoment(new Date(2026, 10, 21, 9, 5).toISOString(), now)).toMatch(/^0?9:05/)
  expect(formatMoment(new Date(2026, 10, 20, 9, 5).toISOString(), now)).toBe('Yesterday')
  expect(formatMoment(new Date(2026, 10, 8).toISOString(), now)).toMatch(/8/)
})

const page = { pageInfo: { endCursor: null, startCursor: null, hasNextPage: false, hasPreviousPage: false } }

async function open(more: object) {
  const viewer = {
    ...viewerWith([drive, full, old], [fakeGroupCloud('pool_1', 'Studio', [drive, full])]),
    files: () => ({ edges: [], ...page }),
    storageByType: [],
    atRisk: none,
    activities: { edges: [], ...page },
    ...more,
  }
  server.state.root = { viewer, node: null, server: { version: '1', uploadTypes: null } }
  await renderApp(`${server.origin}/dashboard`)
  await screen.findByRole('region', { name: 'Storage' })
}

test('the first run says what to do', async () => {
  await open({})
  expect(screen.getByRole('heading', { name: 'No files yet' })).toBeTruthy()
  expect(screen.getByText('No activity yet')).toBeTruthy()
  expect(screen.queryByRole('region', { name: 'Storage by type' })).toBeNull()
  expect(document.title).toBe('Dashboard · Skypool')
})

test('it shows accounts, pools, files, types and what was done, as bars or as a table', async () => {
  const at = new Date().toISOString()
  const file = { __typename: 'File', id: 'file_1', name: 'Plan.pdf', kind: 'FILE', category: 'PDF', size: 2048 }
  const node = { ...file, updatedAt: at, storedIn: [drive] }
  const entry = { id: 'act_1', at, action: 'FILE_UPLOADED', sentence: 'You uploaded “Plan.pdf”.' }
  await open({
    files: () => ({ edges: [{ cursor: 'a', node }], ...page }),
    storageByType: [{ category: 'PDF', files: 1, bytes: 2048 }],
    activities: { edges: [{ cursor: 'a', node: entry }], ...page },
  })
  const recent = within(screen.getByRole('region', { name: 'Recent files' }))
  expect(recent.getByRole('link', { name: /Plan.pdf/ }).getAttribute('href')).toBe('/file-manager?preview=file_1')
  expect(screen.getByRole('img', { name: 'Storage by type: PDF 2.00 KB' })).toBeTruthy()
  expect(screen.getByText('You uploaded “Plan.pdf”.')).toBeTruthy()
  expect(screen.getByText('Google Drive · Old has expired')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Re-connect' })).toBeTruthy()

  await userEvent.click(screen.getByRole('switch', { name: 'Show as table' }))
  const row = within(screen.getByRole('rowheader', { name: 'Google Drive · Box' }).closest('tr') as HTMLElement)
  expect(row.getAllByRole('cell').map((cell) => cell.textContent)).toEqual([
    '9.00 GB',
    '1.00 GB',
    '10.00 GB',
    'Connected',
  ])
  await userEvent.click(screen.getByRole('button', { name: 'By group cloud' }))
  expect(screen.getByRole('rowheader', { name: 'Studio' })).toBeTruthy()
  await userEvent.click(screen.getByRole('switch', { name: 'Show as table' }))
  const storage = within(screen.getByRole('region', { name: 'Storage' }))
  expect(storage.getByRole('img', { name: /Drive.*Box/ })).toBeTruthy()
})

test('it is asked for once when it is opened, after a change, and when it is shown again', async () => {
  const PATIENCE = { timeout: 120_000 }
  server.state.seen = []
  await open({ accounts: viewerWith([]).accounts, groupClouds: [] })
  const asked = () => server.state.seen.filter(({ name }) => name === 'DashboardQuery').length
  const says = (sentence: string) => {
    const node = { id: sentence, at: new Date().toISOString(), action: 'FILE_UPLOADED', sentence }
    const viewer = server.state.root.viewer as object
    server.state.root.viewer = { ...viewer, activities: { edges: [{ cursor: 'a', node }], ...page } }
  }
  says('You uploaded “One.pdf”.')
  act(() => sayServerChange())
  await screen.findByText('You uploaded “One.pdf”.', {}, PATIENCE)
  expect(asked()).toBe(2)

  await act(async () => screen.getByRole('link', { name: 'Trash' }).click())
  await waitFor(() => expect(screen.queryByText('You uploaded “One.pdf”.')).toBeNull(), PATIENCE)
  says('You uploaded “Two.pdf”.')
  await act(async () => screen.getByRole('link', { name: 'Dashboard' }).click())
  await screen.findByText('You uploaded “Two.pdf”.', {}, PATIENCE)
  expect(asked()).toBe(3)
})
