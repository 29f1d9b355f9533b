import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { DetailsPanel } from '../../web/features/Details/DetailsPanel.tsx'
import { ShareDialog } from '../../web/features/Share/ShareDialog.tsx'
import { dayOf, expiryOf, FREE_TERMS, limitOf, termsErrors, termsOf } from '../../web/features/Share/terms.ts'
import { currentEnvironment, forgetEverything } from '../../web/relay/environment.ts'
import { type FakeGraphql, fakeViewer, startFakeGraphql } from './support/fakeGraphql.ts'
import { fakeActivities } from './support/fakePeople.ts'
import { renderOn, setMobile, setPageUrl } from './support/renderPage.tsx'

const FILE = {
  __typename: 'File',
  id: 'file_1',
  name: 'Plan.pdf',
  kind: 'FILE',
  home: 'POOL',
  category: 'PDF',
  mimeType: 'application/pdf',
  size: 5,
  tags: [],
  color: null,
  inlineUrl: null,
  nativeKind: null,
  exportTypes: [] as string[],
  webUrl: null,
  account: null,
  sha256: null,
  state: 'STORED',
  createdAt: '2026-11-08T17:52:00Z',
  updatedAt: '2026-11-08T17:52:00Z',
  trashedAt: null,
  parent: null,
  groupCloud: null,
  storedIn: [],
  copies: [] as object[],
  shares: [] as object[],
  uploadLinks: [] as object[],
}
const share = (id: string, more: object = {}) => ({
  __typename: 'Share',
  id,
  url: `https://skypool.example/shares/${id}`,
  state: 'LIVE',
  hasPassword: false,
  expiresAt: null,
  maxDownloads: null,
  downloads: 0,
  providerUrl: null,
  providerName: null,
  ...more,
})
const copyAt = (provider: string, providerName: string, pieces = 1) => ({
  __typename: 'Copy',
  id: `copy_${provider}`,
  state: 'STORED',
  why: '',
  pieces: Array.from({ length: pieces }, (_, index) => ({
    index,
    size: 1,
    account: { id: `acct_${provider}`, name: 'A', hue: 1, provider, providerName },
  })),
})

let server: FakeGraphql
let file: typeof FILE
const written: string[] = []
beforeAll(async () => {
  server = await startFakeGraphql({})
})
afterAll(() => server.close())
beforeEach(() => {
  setMobile(false)
  setPageUrl(server.origin)
  forgetEverything()
  file = { ...FILE }
  server.state.root = { viewer: () => ({ ...fakeViewer, file, activities: fakeActivities([]) }) }
  server.state.seen = []
  written.length = 0
  const writeText = (text: string) => Promise.resolve(void written.push(text))
  vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue({ writeText } as unknown as Clipboard)
})
afterEach(() => vi.restoreAllMocks())

const openDialog = () => {
  const onClose = vi.fn()
  renderOn(currentEnvironment(), <ShareDialog fileId="file_1" name="Plan.pdf" onClose={onClose} />)
  return onClose
}
const inputOf = (mutation: string) => server.state.seen.find(({ name }) => name === mutation)?.variables.input
/** It waits for the file's links to be known. */
async function createButton() {
  await screen.findByLabelText('Password')
  return button('Create link')
}
const button = (name: string) => screen.findByRole('button', { name })

/** What the server does with createShare. */
const making = (more: object = {}, providerNote: string | null = null) => {
  server.state.root.createShare = () => {
    file = { ...file, shares: [share('share_new', more), ...file.shares] }
    return { __typename: 'CreateSharePayload', providerNote, share: file.shares[0], file }
  }
}

test('one press in the empty form makes a link and copies it', async () => {
  making()
  const onClose = openDialog()
  await screen.findByLabelText('Password')
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Password')))
  await userEvent.click(await createButton())
  await screen.findByText('Copied to clipboard')
  expect(written).toEqual(['https://skypool.example/shares/share_new'])
  expect(inputOf('createShareMutation')).toEqual({
    fileId: 'file_1',
    password: null,
    expiresAt: null,
    maxDownloads: null,
    providerLink: false,
  })
  expect(screen.getByLabelText<HTMLInputElement>('Link').value).toBe('https://skypool.example/shares/share_new')
  await userEvent.click(await button('Done'))
  expect(onClose).toHaveBeenCalled()
})

test('a clipboard that refuses is said; the link is there to be copied by hand', async () => {
  making()
  vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue(undefined as unknown as Clipboard)
  openDialog()
  await userEvent.click(await createButton())
  await screen.findByText('Failed to copy the browser allows it only over https')
  expect(screen.getByLabelText('Link')).toBeDefined()
})

test('password, end and limit are sent; a wrong limit is said first', async () => {
  making({ hasPassword: true, maxDownloads: 3 })
  openDialog()
  await userEvent.type(await screen.findByLabelText('Password'), 'north wall')
  await userEvent.click(screen.getByRole('button', { name: 'Show password' }))
  expect(screen.getByLabelText<HTMLInputElement>('Password').type).toBe('text')
  await userEvent.type(screen.getByLabelText('Download limit'), '0')
  await userEvent.click(await createButton())
  await screen.findByText('Please enter a whole number from 1 to 1,000,000.')
  expect(inputOf('createShareMutation')).toBeUndefined()
  await userEvent.clear(screen.getByLabelText('Download limit'))
  await userEvent.type(screen.getByLabelText('Download limit'), '3')
  await userEvent.click(await createButton())
  await screen.findByText('Password · 0 of 3 downloads')
  expect(inputOf('createShareMutation')).toMatchObject({ password: 'north wall', maxDownloads: 3 })
})

test("the cloud drive's own link is offered where a copy lies whole, and not with a password", async () => {
  file.copies = [
    copyAt('local', 'This server'),
    copyAt('dropbox', 'Dropbox', 2),
    copyAt('google-drive', 'Google Drive'),
  ]
  making({ providerUrl: 'https://drive.google.com/file/d/1/view', providerName: 'Google Drive' })
  openDialog()
  const also = await screen.findByLabelText<HTMLInputElement>('Also create a Google Drive link')
  await userEvent.click(also)
  await userEvent.type(screen.getByLabelText('Password'), 'x')
  expect([also.disabled, also.checked]).toEqual([true, false])
  expect(screen.getByText(/Not available with a password/)).toBeDefined()
  await userEvent.clear(screen.getByLabelText('Password'))
  await userEvent.click(await createButton())
  await userEvent.click(await button('Copy Google Drive link'))
  expect(inputOf('createShareMutation')).toMatchObject({ providerLink: true })
  expect(written.at(-1)).toBe('https://drive.google.com/file/d/1/view')
})

test('a provider that made none says why; without a whole copy elsewhere none is offered', async () => {
  making({}, 'Dropbox refused the link.')
  openDialog()
  await userEvent.click(await createButton())
  await screen.findByText('Dropbox refused the link.')
  expect(screen.queryByText(/Also make/)).toBeNull()
})

test('a link that could not be made keeps what was typed', async () => {
  server.state.root.createShare = { __typename: 'ConflictError', code: 'CONFLICT', message: 'It is in the trash.' }
  openDialog()
  await userEvent.type(await screen.findByLabelText('Password'), 'north wall')
  await userEvent.click(await createButton())
  await screen.findByText('It is in the trash.')
  expect(screen.getByLabelText<HTMLInputElement>('Password').value).toBe('north wall')
})

test('a link is changed: only what is different is sent', async () => {
  file.shares = [share('share_1', { hasPassword: true, maxDownloads: 5, downloads: 2 })]
  server.state.root.updateShare = () => {
    file = { ...file, shares: [share('share_1', { maxDownloads: 9, downloads: 2 })] }
    return { __typename: 'UpdateSharePayload', share: file.shares[0] }
  }
  openDialog()
  await screen.findByText('Password · 2 of 5 downloads')
  await userEvent.click(await button('Change'))
  await userEvent.click(screen.getByLabelText('Remove the password'))
  await userEvent.clear(screen.getByLabelText('Download limit'))
  await userEvent.type(screen.getByLabelText('Download limit'), '9')
  await userEvent.click(await button('Save'))
  await screen.findByText('2 of 9 downloads')
  expect(inputOf('updateShareMutation')).toEqual({ id: 'share_1', password: null, maxDownloads: 9 })
})

test('a change that is refused is said, and the form stays', async () => {
  file.shares = [share('share_1')]
  server.state.root.updateShare = { __typename: 'NotFoundError', code: 'NOT_FOUND', message: 'This link has ended.' }
  openDialog()
  await userEvent.click(await button('Change'))
  await userEvent.click(await button('Save'))
  await screen.findByText('This link has ended.')
  expect(await button('Save')).toBeDefined()
})

test('a link is ended after a question; without links the form is back', async () => {
  file.shares = [share('share_1')]
  server.state.root.revokeShare = () => {
    file = { ...file, shares: [] }
    return { __typename: 'RevokeSharePayload', share: share('share_1', { state: 'REVOKED' }), file }
  }
  openDialog()
  await userEvent.click(await button('End link'))
  await screen.findByText('End this link? It stops working for everyone who has it.')
  await userEvent.click(await button('Keep'))
  expect(document.activeElement).toBe(await button('End link'))
  await userEvent.click(await button('Change'))
  await userEvent.click(await button('Cancel'))
  expect(document.activeElement).toBe(await button('Change'))
  await userEvent.click(await button('End link'))
  await userEvent.click(await button('End link'))
  await screen.findByText('Link ended')
  await button('Create link')
  expect(inputOf('revokeShareMutation')).toEqual({ id: 'share_1' })
})

test('an end that fails is said', async () => {
  file.shares = [share('share_1')]
  server.state.root.revokeShare = { __typename: 'NotFoundError', code: 'NOT_FOUND', message: 'There is no such link.' }
  openDialog()
  await userEvent.click(await button('End link'))
  await userEvent.click(await button('End link'))
  await screen.findByText('There is no such link.')
})

test('another link for what is shared already', async () => {
  file.shares = [share('share_1')]
  making()
  openDialog()
  await userEvent.click(await button('New link'))
  await userEvent.click(await createButton())
  await waitFor(() => expect(screen.getAllByLabelText('Link')).toHaveLength(2))
})

test('the details name the links and lead to the dialog', async () => {
  file.shares = [share('share_1', { state: 'PAUSED', downloads: 1 })]
  renderOn(
    currentEnvironment(),
    <DetailsPanel fileIds={['file_1']} onClose={() => undefined} tab="sharing" onTab={() => undefined} />,
  )
  const section = await screen.findByRole('region', { name: 'Sharing' })
  expect(within(section).getByText('1 download')).toBeDefined()
  expect(within(section).getByText('Paused while in the trash')).toBeDefined()
  await userEvent.click(within(section).getByRole('button', { name: 'Copy link' }))
  await waitFor(() => expect(written).toEqual(['https://skypool.example/shares/share_1']))
  await userEvent.click(within(section).getByRole('button', { name: 'Share' }))
  await screen.findByRole('dialog', { name: 'Share “Plan.pdf”' })
})

test('what is not shared, or in the trash, says so', async () => {
  file = { ...FILE, trashedAt: '2026-11-08T17:52:00Z' as never }
  renderOn(
    currentEnvironment(),
    <DetailsPanel fileIds={['file_1']} onClose={() => undefined} tab="sharing" onTab={() => undefined} />,
  )
  const section = await screen.findByRole('region', { name: 'Sharing' })
  expect(within(section).getByText('Files in the trash cannot be shared.')).toBeDefined()
  expect(within(section).queryByRole('button', { name: 'Share' })).toBeNull()
})

test('the form as the server is to have it', () => {
  const now = new Date('2026-11-21T12:00:00Z')
  expect(expiryOf({ ...FREE_TERMS, expiry: '7' }, now)).toBe('2026-11-28T12:00:00.000Z')
  expect(expiryOf(FREE_TERMS, now)).toBeNull()
  const day = { ...FREE_TERMS, expiry: 'date', date: '2026-12-24' }
  expect(dayOf(new Date(expiryOf(day, now) ?? ''))).toBe('2026-12-24')
  expect(termsErrors({ ...day, date: '2026-11-20' }, now)).toEqual({ date: 'Please choose today or a later day.' })
  expect(termsErrors({ ...day, date: '2026-11-21' }, now)).toEqual({})
  expect(limitOf(termsOf({ maxDownloads: 4 }))).toBe(4)
  for (const limit of ['0', '-1', '1.5', '1e3', '1000001', 'x'])
    expect(termsErrors({ ...FREE_TERMS, limit })).toHaveProperty('limit')
})
