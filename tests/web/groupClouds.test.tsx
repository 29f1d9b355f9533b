import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { fetchQuery } from 'react-relay'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import groupCloudsQuery from '../../web/__generated__/GroupCloudsQuery.graphql.ts'
import { sayServerChange } from '../../web/relay/changes.ts'
import { currentEnvironment } from '../../web/relay/environment.ts'
import { fakeAccount, fakeGroupCloud, fakeQuota, viewerWith } from './support/fakeClouds.ts'
import { type FakeGraphql, startFakeGraphql } from './support/fakeGraphql.ts'
import { renderApp } from './support/renderApp.tsx'
import { setMobile } from './support/renderPage.tsx'

let server: FakeGraphql
beforeAll(async () => {
  server = await startFakeGraphql({})
})
afterAll(() => server.close())
beforeEach(() => {
  setMobile(false)
  server.state.seen = []
})

const drive = fakeAccount('acct_1', 'Drive')
const box = fakeAccount('acct_2', 'Box', { hue: 2, provider: 'dropbox', quota: fakeQuota(9, 10) })
const cold = fakeAccount('acct_3', 'Cold', { hue: 5, quota: fakeQuota(2, null) })

async function open(groupClouds: readonly object[], more: object = {}) {
  const viewer = viewerWith([drive, box, cold], groupClouds)
  server.state.root = { viewer, node: groupClouds[0], server: { version: '1', uploadTypes: null }, ...more }
  await renderApp(`${server.origin}/group-cloud`)
  await screen.findByRole('heading', { level: 1, name: 'Group Cloud Manager' })
}

const pool = (name: string) => screen.findByRole('region', { name })
const sent = (name: string) => server.state.seen.find((seen) => seen.name === name)?.variables.input

test('a card says what is free, by which rules it is filled, how it fares and where the next file goes', async () => {
  const health = { files: 9, bytes: 9, atRiskFiles: 2, storingFiles: 0, summary: 'Two need “Box”.' }
  await open([
    fakeGroupCloud('pool_1', 'Studio', [drive, box, cold], {
      defaultUploadGroup: true,
      copies: 2,
      health,
      quota: { ...fakeQuota(5, 15), freeBytes: 11 * 1024 ** 3 },
    }),
    fakeGroupCloud('pool_2', 'Archive', [cold], { placement: 'IN_ORDER', spanning: false }),
  ])
  const studio = within(await pool('Studio'))
  expect(studio.getByText('Default')).toBeTruthy()
  expect(studio.getByText('Most free space first · 2 copies · large files may span accounts')).toBeTruthy()
  expect(studio.getByText('11.00 GB')).toBeTruthy()
  expect(studio.getByText('free of 25.00 GB, plus one account of unknown size')).toBeTruthy()
  expect(studio.getByText(/Two need “Box”./)).toBeTruthy()
  expect(studio.getByRole('link', { name: 'Show them' }).getAttribute('href')).toContain('state=at-risk&group=pool_1')
  expect(studio.getByText('Nearly full')).toBeTruthy()
  expect(await studio.findByText('Studio takes it')).toBeTruthy()
  const archive = within(await pool('Archive'))
  expect(archive.getByText('In order · 1 copy · no spanning')).toBeTruthy()
  expect(archive.getByText('Free space unknown')).toBeTruthy()
})

test('where the next file goes is asked again when an account has joined, also by another tab', async () => {
  const studio = fakeGroupCloud('pool_1', 'Studio', [drive, box], { defaultUploadGroup: true })
  await open([studio])
  const shown = within(await pool('Studio'))
  expect(await shown.findByText('Studio takes it')).toBeTruthy()
  const larger = fakeGroupCloud('pool_1', 'Studio', [drive, box, cold], {
    defaultUploadGroup: true,
    placementPreview: { placed: true, why: 'Cold takes it', copies: [] },
  })
  server.state.root.node = larger
  server.state.root.viewer = viewerWith([drive, box, cold], [larger])
  await act(async () => {
    await fetchQuery(currentEnvironment(), groupCloudsQuery, {}).toPromise()
  })
  expect(await shown.findByText('Cold takes it')).toBeTruthy()
})

test('files at risk and files being stored are counted again until there are none', async () => {
  const health = (atRiskFiles: number) => ({
    files: 9,
    bytes: 9,
    atRiskFiles,
    storingFiles: 0,
    summary: 'Two need “Box”.',
  })
  const studio = (atRiskFiles: number) =>
    fakeGroupCloud('pool_1', 'Studio', [drive, box], { health: health(atRiskFiles) })
  await open([studio(2)])
  expect(await screen.findByText(/Two need “Box”./)).toBeTruthy()
  server.state.root.viewer = viewerWith([drive, box], [studio(0)])
  server.state.seen = []
  act(() => sayServerChange())
  await waitFor(() => expect(screen.queryByText(/Two need “Box”./)).toBeNull(), { timeout: 10_000 })
  // Only the figures, not the whole page.
  expect(server.state.seen.map(({ name }) => name)).toEqual(['GroupCloudsHealthQuery'])
})

test('what was stored while the page was loading does not stay in the panel', async () => {
  const storing = {
    __typename: 'Transfer',
    id: 'xfer_1',
    kind: 'STORE',
    state: 'RUNNING',
    totalBytes: 10,
    sentBytes: 0,
    bytesPerSecond: null,
    why: 'Most free space.',
    error: null,
    fileName: 'Logo.svg',
    file: null,
    accounts: [drive],
  }
  let asked = 0
  // Stored after the page has read it, and before its live connection is there.
  const viewer = { ...viewerWith([drive], []), transfers: () => (asked++ === 0 ? [storing] : []) }
  await open([], { viewer })
  await waitFor(() => expect(asked).toBeGreaterThan(1), { timeout: 10_000 })
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Transfers' })).toBeNull(), { timeout: 10_000 })
})

test('a new one needs a name and an account for each copy', async () => {
  const made = fakeGroupCloud('pool_9', 'New', [drive, box], { copies: 2 })
  await open([fakeGroupCloud('pool_1', 'Studio', [drive], { defaultUploadGroup: true })], {
    createGroupCloud: () => ({
      __typename: 'CreateGroupCloudPayload',
      groupCloud: made,
      viewer: viewerWith([drive, box], [made]),
    }),
  })
  await userEvent.click(screen.getByRole('button', { name: 'New group cloud' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'New group cloud' }))
  await userEvent.click(dialog.getByRole('button', { name: 'Create' }))
  expect(dialog.getByText('Please give the group cloud a name.')).toBeTruthy()
  expect(dialog.getByText('Please choose at least one account.')).toBeTruthy()
  await userEvent.type(dialog.getByLabelText('Name'), 'New')
  await userEvent.click(dialog.getByRole('checkbox', { name: /Drive/ }))
  await userEvent.click(dialog.getByRole('radio', { name: '2' }))
  await userEvent.click(dialog.getByRole('button', { name: 'Create' }))
  expect(dialog.getByText(/Each copy needs its own account/)).toBeTruthy()
  await userEvent.click(dialog.getByRole('checkbox', { name: /Box/ }))
  await userEvent.click(dialog.getByRole('radio', { name: /Taking turns/ }))
  await userEvent.click(dialog.getByRole('button', { name: 'Create' }))
  expect(await pool('New')).toBeTruthy()
  expect(sent('createGroupCloudMutation')).toEqual({
    name: 'New',
    accountIds: ['acct_1', 'acct_2'],
    copies: 2,
    placement: 'ROUND_ROBIN',
    spanning: true,
    defaultUploadGroup: false,
  })
})

test('members are ordered, kept free and emptied from their menu', async () => {
  const studio = fakeGroupCloud('pool_1', 'Studio', [drive, box], { defaultUploadGroup: true })
  const payload = (more: object = {}) => ({ groupCloud: { ...studio, ...more }, viewer: viewerWith([], [studio]) })
  await open([studio], {
    updateGroupCloud: () => ({ __typename: 'UpdateGroupCloudPayload', ...payload() }),
    drainMember: () => ({ __typename: 'DrainMemberPayload', ...payload() }),
  })
  const act = async (name: string, item: string) => {
    await userEvent.click(screen.getByRole('button', { name: `Actions for ${name}` }))
    await userEvent.click(await screen.findByRole('menuitem', { name: item }))
  }
  await screen.findByRole('button', { name: 'Actions for Drive' })
  await act('Drive', 'Move down')
  await waitFor(() => expect(sent('useChangeMutation')).toEqual({ id: 'pool_1', accountIds: ['acct_2', 'acct_1'] }))
  server.state.seen = []
  await act('Box', 'Keep free…')
  const dialog = within(await screen.findByRole('dialog'))
  const field = dialog.getByLabelText('Keep free, in GB')
  await userEvent.clear(field)
  await userEvent.type(field, 'much')
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }))
  expect(dialog.getByText('Please enter a number of GB, 0 or more.')).toBeTruthy()
  await userEvent.clear(field)
  await userEvent.type(field, '1,5')
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }))
  const keepFreeBytes = [{ accountId: 'acct_2', keepFreeBytes: 1.5 * 1024 ** 3 }]
  await waitFor(() => expect(sent('useChangeMutation')).toEqual({ id: 'pool_1', keepFreeBytes }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await act('Box', 'Empty and remove')
  await waitFor(() => expect(sent('useMembersMutation')).toEqual({ id: 'pool_1', accountId: 'acct_2', draining: true }))
  expect(await screen.findByText('“Box” is being emptied')).toBeTruthy()
})

test('one with files is deleted only after it is said what happens to them', async () => {
  const health = { files: 4, bytes: 4096, atRiskFiles: 0, storingFiles: 0, summary: '' }
  const archive = fakeGroupCloud('pool_2', 'Archive', [box], { health })
  const studio = fakeGroupCloud('pool_1', 'Studio', [drive], { defaultUploadGroup: true })
  await open([studio, archive], {
    deleteGroupCloud: () => ({
      __typename: 'DeleteGroupCloudPayload',
      deletedId: 'pool_2',
      viewer: viewerWith([drive, box], [studio]),
    }),
  })
  await userEvent.click(await screen.findByRole('button', { name: 'More for Archive' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete…' }))
  const dialog = within(await screen.findByRole('alertdialog'))
  expect(dialog.getByText(/It contains 4 files \(4.00 KB\)/)).toBeTruthy()
  await userEvent.click(dialog.getByRole('radio', { name: /Move to Trash/ }))
  await userEvent.click(dialog.getByRole('button', { name: 'Delete' }))
  await waitFor(() => expect(sent('deleteGroupCloudMutation')).toEqual({ id: 'pool_2', trash: true }))
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Archive' })).toBeNull())
})

test('the default one cannot be deleted, and says why', async () => {
  await open([
    fakeGroupCloud('pool_1', 'Studio', [drive], { defaultUploadGroup: true }),
    fakeGroupCloud('pool_2', 'Archive', [box]),
  ])
  await userEvent.click(await screen.findByRole('button', { name: 'More for Studio' }))
  const item = await screen.findByRole('menuitem', { name: 'Delete…' })
  expect(item.getAttribute('aria-description')).toBe('Make another group cloud the default first')
})
