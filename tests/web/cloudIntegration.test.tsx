import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { commitLocalUpdate } from 'relay-runtime'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
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
afterEach(() => vi.restoreAllMocks())

const readings = (accounts: readonly object[]) => ({
  refreshQuotas: { __typename: 'RefreshQuotasPayload', accounts, readings: [] },
})

async function open(accounts: readonly object[], more: object = {}) {
  server.state.root = {
    viewer: viewerWith(accounts),
    server: { version: '1', uploadTypes: null },
    ...readings(accounts),
    ...more,
  }
  await renderApp(`${server.origin}/cloud-integration`)
  return screen.findByRole('heading', { level: 1, name: 'Cloud Integration' })
}

const card = (name: string) => screen.findByRole('article', { name })

/** The window that a click opens; it answers the authorization of `state`. */
function fakePopup() {
  const popup = Object.assign(new EventTarget(), { closed: false, location: { href: '' }, close: () => undefined })
  vi.spyOn(window, 'open').mockReturnValue(popup as unknown as Window)
  const answer = (state: string, result: { code: string | null; error: string | null }) =>
    act(async () => {
      const data = { type: 'skypool:authorization', service: 'google', state, ...result }
      window.dispatchEvent(new MessageEvent('message', { data, origin: window.location.origin }))
    })
  return { popup, answer }
}

test("this server's own storage is no connection: without any other the page says so", async () => {
  await open([])
  expect(await screen.findByText('No connected accounts')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Add Cloud Storage' }))
  expect(await screen.findByRole('dialog', { name: 'Add Storage' })).toBeTruthy()
})

test('a card says until when its provider asked to be left alone', async () => {
  const later = new Date(Date.now() + 120_000).toISOString()
  const resting = fakeAccount('acct_7', 'Resting', { pausedUntil: later, writesPausedUntil: later })
  await open([resting, fakeAccount('acct_8', 'Reading', { writesPausedUntil: later }), fakeAccount('acct_9', 'Well')])
  const said = async (name: string) => (await card(`${name} - ${name.toLowerCase()}@post.example`)).textContent
  expect(await said('Resting')).toMatch(/Paused by the provider until .*\d\d:\d\d/)
  expect(await said('Reading')).toMatch(/Uploads paused by the provider until .*\d\d:\d\d/)
  expect(await said('Well')).not.toContain('aused')
})

test('a card says where the files are, unless its name does', async () => {
  const places = (name: string, place: string | null) => fakeAccount(`acct_${name}`, name, { email: null, place })
  await open([places('Attic', 'ada@nas.example'), places('Ada@nas.example', 'ada@nas.example'), places('Cellar', null)])
  expect(within(await card('Attic')).getByText('ada@nas.example')).toBeTruthy()
  expect(within(await card('Ada@nas.example')).queryByText('ada@nas.example')).toBeNull()
  expect((await card('Cellar')).querySelector('h2')?.nextElementSibling?.textContent).toMatch(/^Connected at/)
})

test('a card has no number of entries before the first are found', async () => {
  const index = {
    phase: 'FIRST_PASS',
    entries: 0,
    expected: null,
    startedAt: new Date().toISOString(),
    asOf: null,
    problem: null,
    heldDeletions: 0,
    rootFileId: 'file_1',
  }
  const unread = { ...index, phase: 'PAUSED', problem: 'The provider does not answer.' }
  await open([fakeAccount('acct_1', 'Attic', { index }), fakeAccount('acct_2', 'Cellar', { index: unread })])
  expect(within(await card('Attic - attic@post.example')).getByText('Listing files…')).toBeTruthy()
  expect(within(await card('Cellar - cellar@post.example')).getByText('Not listed yet')).toBeTruthy()
})

test('a card says why an account cannot be reached, where that is known', async () => {
  const unreachableSince = new Date().toISOString()
  const statusReason = 'The address 192.168.1.20 is private.'
  await open([fakeAccount('acct_1', 'Attic', { unreachableSince, statusReason })])
  const attic = within(await card('Attic - attic@post.example'))
  expect(attic.getByText('Not reachable')).toBeTruthy()
  expect(attic.getByText(statusReason)).toBeTruthy()
})

test('a card says what it is, how it fares and how full it is; those in trouble come first', async () => {
  const expired = fakeAccount('acct_2', 'Old', { status: 'EXPIRED', statusReason: 'It was revoked.', atRiskFiles: 214 })
  const unknown = fakeAccount('acct_3', 'Cold', { quota: fakeQuota(2, null) })
  await open([fakeAccount('acct_1', 'Studio'), expired, unknown])
  const studio = within(await card('Studio - studio@post.example'))
  expect(studio.getByText('Google Drive')).toBeTruthy()
  expect(studio.getByText('Connected')).toBeTruthy()
  expect(studio.getByText('Connected at just now')).toBeTruthy()
  await waitFor(() => expect(studio.getByText('5.00 GB')).toBeTruthy())
  expect(studio.getByText('33% used')).toBeTruthy()
  const old = within(await card('Old - old@post.example'))
  expect(old.getByText('Expired')).toBeTruthy()
  expect(old.getByText('214 files are at risk until you re-connect.')).toBeTruthy()
  expect(within(await card('Cold - cold@post.example')).getByText('Capacity unknown')).toBeTruthy()
  expect(screen.getAllByRole('article')[0]?.getAttribute('aria-label')).toBe('Old - old@post.example')
})

test('an account of which a query of another screen brought only some fields gets its card once the others are there', async () => {
  await open([fakeAccount('acct_1', 'Studio')])
  await card('Studio - studio@post.example')
  act(() => {
    commitLocalUpdate(currentEnvironment(), (store) => {
      const viewer = store.getRoot().getLinkedRecord('viewer')
      const partial = store.create('acct_2', 'Account')
      partial.setValue('acct_2', 'id')
      partial.setValue('Newcomer', 'name')
      partial.setValue('GOOGLE_DRIVE', 'provider')
      viewer?.setLinkedRecords([...(viewer.getLinkedRecords('accounts') ?? []), partial], 'accounts')
    })
  })
  expect(await card('Studio - studio@post.example')).toBeTruthy()
  expect(screen.getAllByRole('article')).toHaveLength(1)
  act(() => {
    commitLocalUpdate(currentEnvironment(), (store) => {
      const quota = store.create('quota-2', 'Quota')
      for (const [key, value] of Object.entries(fakeQuota(1, 2))) quota.setValue(value as string, key)
      const rest = { email: 'new@post.example', status: 'CONNECTED', hue: 2, atRiskFiles: 0 }
      const account = store.get('acct_2')
      for (const [key, value] of Object.entries(rest)) account?.setValue(value, key)
      account?.setLinkedRecord(quota, 'quota')
      account?.setValue(new Date().toISOString(), 'createdAt')
    })
  })
  expect(await card('Newcomer - new@post.example')).toBeTruthy()
})

test('a provider that is not set up, or has no driver, says what to do', async () => {
  await open([])
  await userEvent.click(screen.getByRole('tab', { name: 'Add New Connection' }))
  await userEvent.click(await screen.findByRole('button', { name: /^Dropbox/ }))
  expect(await screen.findByText(/Please ask its administrator/)).toBeTruthy()
  await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: /^MEGA/ }))
  expect(await screen.findByText(/cannot connect MEGA yet/)).toBeTruthy()
})

test('an administrator sees how a provider is set up, what to copy, and whether it is done', async () => {
  await open([], { viewer: { ...viewerWith([]), role: 'ADMINISTRATOR' } })
  await userEvent.click(screen.getByRole('tab', { name: 'Add New Connection' }))
  await userEvent.click(await screen.findByRole('button', { name: /^Dropbox/ }))
  expect(await screen.findByRole('heading', { level: 1, name: /Set up Dropbox/ })).toBeTruthy()
  expect(screen.getByText(`${window.location.origin}/oauth/dropbox/callback`)).toBeTruthy()
  for (const name of ['Make an app', 'Give Skypool both']) {
    expect(screen.getByRole('heading', { level: 2, name })).toBeTruthy()
  }
  expect(screen.getByText(/^Enter the redirect address, and save\./)).toBeTruthy()
  const link = screen.getByRole('link', { name: 'Open dropbox.example/new' })
  const filledIn = `https://dropbox.example/new?redirect=${encodeURIComponent(window.location.origin)}/oauth`
  expect(link.getAttribute('href')).toBe(filledIn)
  expect(screen.getByText(/DROPBOX_CLIENT_ID=\s+DROPBOX_CLIENT_SECRET=/)).toBeTruthy()
  expect(screen.getAllByText('is missing')).toHaveLength(2)
  await userEvent.click(screen.getByRole('button', { name: 'Check again' }))
  expect(await screen.findByText('Settings are still missing')).toBeTruthy()
  const ready = viewerWith([])
  const now = { availability: 'READY', settings: [], canShowEverything: true }
  const providers = ready.providers.map((one) => ({ ...one, ...now }))
  server.state.root = { ...server.state.root, viewer: { ...ready, role: 'ADMINISTRATOR', providers } }
  await userEvent.click(screen.getByRole('button', { name: 'Check again' }))
  const connect = await screen.findByRole('button', { name: 'Connect Dropbox' })
  expect(screen.getByText(/^The settings are there\. Whether the other steps are done shows when/)).toBeTruthy()
  expect(screen.getAllByText('is set')).toHaveLength(2)
  await userEvent.click(connect)
  expect(await screen.findByRole('dialog', { name: 'Connect Dropbox' })).toBeTruthy()
  expect(screen.getByRole('radio', { name: /^Everything in this account/ })).toBeTruthy()
})

test('accounts of a provider whose settings are missing are shown with what to do', async () => {
  const accounts = [fakeAccount('acct_1', 'Quay', { provider: 'dropbox', providerName: 'Dropbox' })]
  await open(accounts, { viewer: { ...viewerWith(accounts), role: 'ADMINISTRATOR' } })
  expect(await screen.findByText(/^The settings for Dropbox have been missing/)).toBeTruthy()
  await userEvent.click(screen.getByRole('link', { name: 'Set up Dropbox' }))
  expect(await screen.findByRole('heading', { level: 1, name: /Set up Dropbox/ })).toBeTruthy()
})

const variablesOf = (name: string) => server.state.seen.find((seen) => seen.name === name)?.variables

async function startConnecting(name: string) {
  await userEvent.click(screen.getByRole('button', { name: 'Add Storage' }))
  await userEvent.click(await screen.findByRole('button', { name: /^Google Drive/ }))
  const field = await screen.findByLabelText('Account name')
  if (name) await userEvent.type(field, name)
  await userEvent.click(screen.getByRole('button', { name: 'Connect' }))
}

test('a connection needs a name', async () => {
  const opened = vi.spyOn(window, 'open')
  await open([])
  await startConnecting('  ')
  expect(await screen.findByText('Please provide a name for this connection')).toBeTruthy()
  expect(screen.queryByText('Account name is required.')).not.toBeNull()
  expect(screen.queryByText(/shared drives, are shown only if you choose it later/)).not.toBeNull()
  expect(document.activeElement).toBe(screen.getByLabelText('Account name'))
  expect(opened).not.toHaveBeenCalled()
})

test('an account is connected with the code that the window brings back', async () => {
  const { popup, answer } = fakePopup()
  const made = fakeAccount('acct_1', 'Studio')
  const pool = (id: string, name: string, more: object = {}) =>
    fakeGroupCloud(id, name, [fakeAccount('acct_own', 'This server')], {
      copies: 2,
      quota: fakeQuota(0, 10),
      freeBytesWith: 15 * 1024 ** 3,
      ...more,
    })
  const pools = [pool('gcl_1', 'Studio pool', { defaultUploadGroup: true }), pool('gcl_2', 'Archive')]
  const connect = vi.fn(() => {
    server.state.root.viewer = viewerWith([made], pools)
    return { __typename: 'ConnectAccountPayload', account: made, viewer: server.state.root.viewer }
  })
  await open([], {
    authorizeAccount: {
      __typename: 'AuthorizeAccountPayload',
      state: 's1',
      authorizationUrl: 'https://provider.example/',
    },
    connectAccount: connect,
  })
  await startConnecting('Studio')
  expect(await screen.findByRole('button', { name: 'Connecting...' })).toBeTruthy()
  await waitFor(() => expect(popup.location.href).toBe('https://provider.example/'))
  await answer('s1', { code: 'c1', error: null })
  expect(await screen.findByText('Account connected successfully')).toBeTruthy()
  const chosen = await screen.findByRole<HTMLInputElement>('radio', { name: /Studio pool \(Default\)/ })
  expect(chosen.checked).toBe(true)
  const offer = within(screen.getByRole('dialog', { name: 'Studio is connected' }))
  expect(offer.getByText('10.00 GB free of 10.00 GB')).toBeTruthy()
  expect(offer.getByText('15.00 GB')).toBeTruthy()
  expect(offer.getByText('+ 5.00 GB')).toBeTruthy()
  await userEvent.click(offer.getByRole('button', { name: 'Not now' }))
  const unused = within(await card('Studio - studio@post.example'))
  expect(unused.getByText('Not in a group cloud: uploads do not use it.')).toBeTruthy()
  server.state.root.updateGroupCloud = {
    __typename: 'UpdateGroupCloudPayload',
    groupCloud: pools[0],
    viewer: server.state.root.viewer,
  }
  await userEvent.click(unused.getByRole('button', { name: 'Add Studio to…' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Add to Studio pool' }))
  expect(await screen.findByText('Studio added to Studio pool')).toBeTruthy()
  expect(variablesOf('addToPoolMutation')).toEqual({ input: { id: 'gcl_1', accountIds: ['acct_own', 'acct_1'] } })
  expect(server.state.seen.find(({ name }) => name === 'connectAccountMutation')?.variables).toEqual({
    input: { provider: 'google-drive', name: 'Studio', scope: 'EVERYTHING', code: 'c1', state: 's1' },
  })
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('the dialog after connecting has its title at once, also for an account that no group cloud can use', async () => {
  const { popup, answer } = fakePopup()
  const made = fakeAccount('acct_1', 'Album', { poolUse: 'NONE', poolReason: 'It takes only photos.' })
  let reply: (viewer: object) => void = () => undefined
  await open([], {
    authorizeAccount: {
      __typename: 'AuthorizeAccountPayload',
      state: 's1',
      authorizationUrl: 'https://provider.example/',
    },
    connectAccount: () => {
      const viewer = viewerWith([made])
      server.state.root.viewer = new Promise((resolve) => {
        reply = resolve
      })
      return { __typename: 'ConnectAccountPayload', account: made, viewer }
    },
  })
  await startConnecting('Album')
  await waitFor(() => expect(popup.location.href).toBe('https://provider.example/'))
  await answer('s1', { code: 'c1', error: null })
  const dialog = await screen.findByRole('dialog', { name: 'Album is connected' })
  expect(within(dialog).queryByText(/It takes only photos/)).toBeNull()
  expect(screen.queryByText('Add to a group cloud?')).toBeNull()
  reply(viewerWith([made]))
  await waitFor(() => {
    const loaded = within(screen.getByRole('dialog', { name: 'Album is connected' }))
    expect(loaded.getByText(/It takes only photos/)).toBeTruthy()
  })
  expect(screen.queryByText('Add to a group cloud?')).toBeNull()
})

test('only what Skypool stores can be chosen, and the notice says what is used', async () => {
  await open([])
  await userEvent.click(screen.getByRole('button', { name: 'Add Storage' }))
  await userEvent.click(await screen.findByRole('button', { name: /^Google Drive/ }))
  const everything = await screen.findByRole('radio', { name: /Everything in this account/ })
  expect(everything).toHaveProperty('checked', true)
  expect(screen.queryByText(/uses only those that it stores there itself/)).toBeNull()
  await userEvent.click(screen.getByRole('radio', { name: /Only what Skypool stores/ }))
  expect(everything).toHaveProperty('checked', false)
  expect(screen.getByText(/uses only those that it stores there itself/)).toBeTruthy()
})

test('an account that no group cloud can use is shown without a choice', async () => {
  const viewer = viewerWith([])
  await open([], { viewer: { ...viewer, providers: viewer.providers.map((one) => ({ ...one, poolUse: 'NONE' })) } })
  await userEvent.click(screen.getByRole('button', { name: 'Add Storage' }))
  await userEvent.click(await screen.findByRole('button', { name: /^Google Drive/ }))
  expect(await screen.findByLabelText('Account name')).toBeTruthy()
  expect(screen.queryByRole('radio')).toBeNull()
})

test('what the server refuses ends the busy state with its words', async () => {
  const { answer, popup } = fakePopup()
  await open([], {
    authorizeAccount: { __typename: 'AuthorizeAccountPayload', state: 's1', authorizationUrl: 'https://p.example/' },
    connectAccount: {
      __typename: 'AccountConnectedError',
      code: 'ACCOUNT_CONNECTED',
      message: 'This login is connected already.',
    },
  })
  await startConnecting('Studio')
  await waitFor(() => expect(popup.location.href).not.toBe(''))
  await answer('s1', { code: 'c1', error: null })
  // A toast disappears; the dialog keeps the reason, and does not blame the window.
  const dialog = within(await screen.findByRole('dialog', { name: 'Connect Google Drive' }))
  expect((await dialog.findByRole('alert')).textContent).toBe('This login is connected already.')
  expect(dialog.queryByText(/Did the window show an error/)).toBeNull()
  expect(await screen.findByRole('button', { name: 'Connect' })).toBeTruthy()
})

test.each([
  ['ProviderUnavailableError', 'PROVIDER_UNAVAILABLE', 'It does not accept this server.', 'Set up Google Drive'],
  ['ProviderFailedError', 'PROVIDER_FAILED', 'It could not be reached.', ''],
])('%s leads an administrator to the steps only if they can help', async (name, code, message, link) => {
  const { answer, popup } = fakePopup()
  await open([], {
    viewer: { ...viewerWith([]), role: 'ADMINISTRATOR' },
    authorizeAccount: { __typename: 'AuthorizeAccountPayload', state: 's1', authorizationUrl: 'https://p.example/' },
    connectAccount: { __typename: name, code, message },
  })
  await startConnecting('Studio')
  await waitFor(() => expect(popup.location.href).not.toBe(''))
  await answer('s1', { code: 'c1', error: null })
  const alert = await within(await screen.findByRole('dialog')).findByRole('alert')
  await waitFor(() => expect(alert.textContent).toBe(message + link))
})

test('a blocked window, and access that was not allowed, are explained in the dialog until the next attempt', async () => {
  vi.spyOn(window, 'open').mockReturnValue(null)
  await open([], {
    authorizeAccount: { __typename: 'AuthorizeAccountPayload', state: 's1', authorizationUrl: 'https://p.example/' },
  })
  await startConnecting('Studio')
  expect(await screen.findByText('Popup blocked')).toBeTruthy()
  const dialog = within(screen.getByRole('dialog', { name: 'Connect Google Drive' }))
  expect(dialog.getByRole('alert').textContent).toMatch(/^The browser has blocked the window\. Allow windows/)
  const { answer, popup } = fakePopup()
  await userEvent.click(dialog.getByRole('button', { name: 'Connect' }))
  await waitFor(() => expect(popup.location.href).not.toBe(''))
  expect(dialog.queryByRole('alert')).toBeNull()
  await answer('s1', { code: null, error: 'access_denied' })
  expect((await dialog.findByRole('alert')).textContent).toBe('The access was not allowed in the window.')
})

test('an expired account is connected again', async () => {
  const { popup, answer } = fakePopup()
  const expired = fakeAccount('acct_1', 'Studio', { status: 'EXPIRED' })
  await open([expired], {
    authorizeAccount: { __typename: 'AuthorizeAccountPayload', state: 's2', authorizationUrl: 'https://p.example/' },
    reconnectAccount: { __typename: 'ReconnectAccountPayload', account: fakeAccount('acct_1', 'Studio') },
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Re-connect' }))
  expect(await screen.findByText('Reconnection initiated')).toBeTruthy()
  await waitFor(() => expect(popup.location.href).not.toBe(''))
  await answer('s2', { code: 'c2', error: null })
  expect(await screen.findByText('Reconnection successfully')).toBeTruthy()
  await waitFor(async () =>
    expect(within(await card('Studio - studio@post.example')).getByText('Connected')).toBeTruthy(),
  )
})

const PATIENCE = { timeout: 20_000 }

/** The server answers this mutation, and the answer does not arrive. */
function loseAnswer(mutation: string) {
  const real = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (...given) => {
    const response = await real(...given)
    if (String(given[1]?.body).includes(mutation)) throw new TypeError('Failed to fetch')
    return response
  })
}

test('an account is connected although the answer was lost', async () => {
  const { popup, answer } = fakePopup()
  const made = fakeAccount('acct_1', 'Studio')
  await open([], {
    authorizeAccount: { __typename: 'AuthorizeAccountPayload', state: 's1', authorizationUrl: 'https://p.example/' },
    connectAccount: () => {
      server.state.root.viewer = viewerWith([made])
      return { __typename: 'ConnectAccountPayload', account: made, viewer: server.state.root.viewer }
    },
  })
  loseAnswer('connectAccountMutation')
  await startConnecting('Studio')
  await waitFor(() => expect(popup.location.href).toBe('https://p.example/'))
  await answer('s1', { code: 'c1', error: null })
  expect(await screen.findByText('Account connected successfully', {}, PATIENCE)).toBeTruthy()
  expect(await screen.findByRole('article', { name: /Studio/, hidden: true })).toBeTruthy()
})

test('an account is connected again although the answer was lost', async () => {
  const { popup, answer } = fakePopup()
  await open([fakeAccount('acct_1', 'Studio', { status: 'EXPIRED' })], {
    authorizeAccount: { __typename: 'AuthorizeAccountPayload', state: 's2', authorizationUrl: 'https://p.example/' },
    reconnectAccount: () => {
      const account = fakeAccount('acct_1', 'Studio')
      server.state.root.viewer = viewerWith([account])
      return { __typename: 'ReconnectAccountPayload', account }
    },
  })
  loseAnswer('reconnectAccountMutation')
  await userEvent.click(await screen.findByRole('button', { name: 'Re-connect' }))
  await waitFor(() => expect(popup.location.href).not.toBe(''))
  await answer('s2', { code: 'c2', error: null })
  // The toast may be one of an earlier test.
  const studio = within(await card('Studio - studio@post.example'))
  await waitFor(() => expect(studio.getByText('Connected')).toBeTruthy(), PATIENCE)
  await waitFor(() => expect(studio.queryByText('Connecting...')).toBeNull(), PATIENCE)
})

test('how many files are at risk is read again while they are made safe', async () => {
  const risky = (atRiskFiles: number) => fakeAccount('acct_1', 'Studio', { status: 'EXPIRED', atRiskFiles })
  await open([risky(10)])
  const studio = within(await card('Studio - studio@post.example'))
  expect(studio.getByText('10 files are at risk until you re-connect.')).toBeTruthy()
  server.state.root.viewer = viewerWith([risky(0)])
  act(() => sayServerChange())
  server.state.seen = []
  await waitFor(() => expect(studio.queryByText(/at risk/)).toBeNull(), { timeout: 10_000 })
  // Only the figures, not the whole page.
  expect(server.state.seen.map(({ name }) => name)).toEqual(['ConnectedAccountsRiskQuery'])
})

test('“Look again now” is not offered for an expired account', async () => {
  const index = {
    ...{ phase: 'LIVE', entries: 5, expected: null, startedAt: null, asOf: new Date().toISOString() },
    ...{ problem: null, heldDeletions: 0, rootFileId: 'file_1' },
  }
  await open([fakeAccount('acct_1', 'Studio', { index }), fakeAccount('acct_2', 'Old', { index, status: 'EXPIRED' })])
  const named = async (name: string) => within(await card(`${name} - ${name.toLowerCase()}@post.example`))
  expect((await named('Studio')).getByRole('button', { name: 'Look again now what is in Studio' })).toBeTruthy()
  const old = await named('Old')
  expect(old.getByRole('button', { name: /^Index settings/ })).toBeTruthy()
  expect(old.queryByRole('button', { name: /^Look again/ })).toBeNull()
})

test('disconnecting says first what would be lost, and only then does it', async () => {
  const account = fakeAccount('acct_1', 'Studio', {
    lossPreview: {
      ...{ lostFiles: 3, lostBytes: 2048, keptFiles: 1 },
      ...{ inPlaceLost: 0, inPlaceLostBytes: 0, inPlaceProtected: 0 },
    },
  })
  const disconnect = vi.fn(() => {
    server.state.root.viewer = viewerWith([])
    return {
      __typename: 'DisconnectAccountPayload',
      disconnectedId: 'acct_1',
      viewer: server.state.root.viewer,
    }
  })
  // By the field's own arguments: the query asks for a node.
  await open([account], { node: { ...account, __typename: 'Account' }, disconnectAccount: disconnect })
  await userEvent.click(await screen.findByRole('button', { name: 'Disconnect' }))
  const dialog = within(await screen.findByRole('alertdialog'))
  expect(await dialog.findByText(/3 files \(2.00 KB\) will no longer be readable/)).toBeTruthy()
  expect(dialog.getByText(/1 file has another copy elsewhere/)).toBeTruthy()
  expect(disconnect).not.toHaveBeenCalled()
  await userEvent.click(await dialog.findByRole('button', { name: 'Disconnect anyway' }))
  expect(await screen.findByText('Account disconnected')).toBeTruthy()
  expect(await screen.findByText('No connected accounts')).toBeTruthy()
  expect(server.state.seen.find(({ name }) => name === 'disconnectAccountMutation')?.variables).toEqual({
    input: { id: 'acct_1', force: true, keepProtected: true },
  })
})

const inForm = (fields: readonly object[]) => ({
  __typename: 'InvalidInputError',
  code: 'INVALID_INPUT',
  message: 'No.',
  fields,
})

async function startForm() {
  await userEvent.click(screen.getByRole('button', { name: 'Add Storage' }))
  await userEvent.click(await screen.findByRole('button', { name: /^Harbour/ }))
  return within(await screen.findByRole('dialog', { name: 'Connect Harbour' }))
}

test('a provider with a form is connected by it: each field as the server says, and its error below it', async () => {
  const opened = vi.spyOn(window, 'open')
  const asked: object[] = []
  const connectAccountByForm = ({ input }: { input: { fields: { name: string; value: string }[] } }) => {
    asked.push(input)
    if (input.fields.length < 2) return inForm([{ path: 'fields.password', message: 'Password is required.' }])
    const account = fakeAccount('acct_5', 'Quay', { provider: 'harbour', providerName: 'Harbour', connectsBy: 'FORM' })
    return { __typename: 'ConnectAccountByFormPayload', account, viewer: viewerWith([account]) }
  }
  await open([], { connectAccountByForm })
  const dialog = await startForm()
  expect(dialog.getByText('With https.')).toBeTruthy()
  expect(dialog.getByLabelText('Password').getAttribute('type')).toBe('password')
  expect(dialog.getByLabelText('Key (optional)').tagName).toBe('TEXTAREA')
  await userEvent.click(dialog.getByRole('button', { name: 'Connect' }))
  expect(await screen.findByText('Please provide a name for this connection')).toBeTruthy()
  const also = 'A name helps you identify this account later. Also required: Server address and Password.'
  expect(screen.getByText(also)).toBeTruthy()
  const missing = ['Account name is required.', 'Server address is required.', 'Password is required.']
  expect(dialog.getAllByRole('alert').map(({ textContent }) => textContent)).toEqual(missing)
  await waitFor(() => expect(document.activeElement).toBe(dialog.getByLabelText('Account name')))
  expect(asked).toEqual([])
  await userEvent.type(dialog.getByLabelText('Account name'), 'Quay')
  await userEvent.type(dialog.getByLabelText('Server address'), 'https://quay.example')
  expect(dialog.getAllByRole('alert').map(({ textContent }) => textContent)).toEqual(['Password is required.'])
  await userEvent.click(dialog.getByRole('button', { name: 'Connect' }))
  expect((await dialog.findByRole('alert')).textContent).toBe('Password is required.')
  expect(dialog.getByLabelText('Password').getAttribute('aria-invalid')).toBe('true')
  await waitFor(() => expect(document.activeElement).toBe(dialog.getByLabelText('Password')))
  await userEvent.type(dialog.getByLabelText('Password'), 'plank')
  expect(dialog.getByText('Where it is.')).toBeTruthy()
  await userEvent.click(dialog.getByRole('button', { name: /^Quay \(optional\)/ }))
  await userEvent.click(await screen.findByRole('option', { name: 'North' }))
  await userEvent.click(dialog.getByRole('button', { name: 'Connect' }))
  expect(await screen.findByText('Account connected successfully')).toBeTruthy()
  const fields = [
    { name: 'address', value: 'https://quay.example' },
    { name: 'password', value: 'plank' },
    { name: 'quay', value: 'n' },
  ]
  expect(asked.at(-1)).toMatchObject({ provider: 'harbour', name: 'Quay', fields })
  expect(opened).not.toHaveBeenCalled()
})

test('a field that a choice needs is not called optional while that is chosen', async () => {
  const ofLock = 'Lock is required in the south: enter its number.'
  const connectAccountByForm = vi.fn(() => inForm([{ path: 'fields.lock', message: ofLock }]))
  await open([], { connectAccountByForm })
  const dialog = await startForm()
  const choose = async (quay: string) => {
    await userEvent.click(dialog.getByRole('button', { name: /^Quay \(optional\)/ }))
    await userEvent.click(await screen.findByRole('option', { name: quay }))
  }
  const connect = () => userEvent.click(dialog.getByRole('button', { name: 'Connect' }))
  const errors = () => dialog.queryAllByRole('alert').map(({ textContent }) => textContent)
  const isRequired = (label: string) => dialog.getByLabelText<HTMLInputElement>(label).required
  expect(isRequired('Lock (optional)')).toBe(false)
  await choose('South')
  expect(isRequired('Lock')).toBe(true)
  await connect()
  const always = ['Server address is required.', 'Password is required.']
  expect(errors()).toEqual(['Account name is required.', ...always, ofLock])
  expect(await screen.findByText(/Also required: Server address, Password, and Lock\.$/)).toBeTruthy()
  await userEvent.type(dialog.getByLabelText('Account name'), 'Quay')
  await choose('North')
  expect(isRequired('Lock (optional)')).toBe(false)
  expect(errors()).toEqual(always)
  await choose('South')
  await connect()
  await waitFor(() => expect(errors()).toEqual([ofLock]))
  await waitFor(() => expect(document.activeElement).toBe(dialog.getByLabelText('Lock')))
  // The other of two ways.
  await userEvent.type(dialog.getByLabelText('Key (optional)'), 'k')
  expect(isRequired('Lock (optional)')).toBe(false)
  expect(errors()).toEqual([])
})

test('a form is tested: a host key is compared first, a changed one is refused, and folders are offered', async () => {
  const asked: { name: string; value: string }[][] = []
  const result = { __typename: 'TestAccountFormPayload', ok: false, identity: null, quota: null, folderField: null }
  let fingerprint = 'SHA256:first'
  const testAccountForm = ({ input: { fields } }: { input: { fields: { name: string; value: string }[] } }) => {
    asked.push(fields)
    const confirmed = fields.find(({ name }) => name === 'fingerprint')?.value
    if (confirmed !== fingerprint) return { ...result, fingerprint, folders: [], problem: `It is ${fingerprint}.` }
    const folders = [{ name: 'Photos', value: '/quay/Photos' }]
    const quota = { state: 'KNOWN', usedBytes: 1024 ** 3, totalBytes: 3 * 1024 ** 3 }
    return {
      ...result,
      ok: true,
      identity: 'ann@quay',
      quota,
      fingerprint: null,
      folderField: 'address',
      folders,
      problem: null,
    }
  }
  await open([], { testAccountForm })
  const dialog = await startForm()
  await userEvent.click(dialog.getByRole('button', { name: 'Test connection' }))
  expect(await dialog.findByText('SHA256:first')).toBeTruthy()
  await userEvent.type(dialog.getByLabelText('Account name'), 'Quay')
  await userEvent.click(dialog.getByRole('button', { name: 'Connect' }))
  expect((await dialog.findByRole('alert')).textContent).toMatch(/tick this box/)
  await userEvent.click(dialog.getByLabelText(/This is the key of my server/))
  expect(dialog.queryByRole('alert')).toBeNull()
  await userEvent.click(dialog.getByRole('button', { name: 'Test again' }))
  expect(await dialog.findByText('The connection works')).toBeTruthy()
  expect(dialog.getByText('ann@quay')).toBeTruthy()
  expect(dialog.getByText('2.00 GB free of 3.00 GB')).toBeTruthy()
  await userEvent.click(dialog.getByRole('button', { name: /Folder to use/ }))
  await userEvent.click(await screen.findByRole('option', { name: 'Photos' }))
  expect((dialog.getByLabelText('Server address') as HTMLInputElement).value).toBe('/quay/Photos')
  fingerprint = 'SHA256:second'
  await userEvent.click(dialog.getByRole('button', { name: 'Test again' }))
  expect((await dialog.findByRole('alert')).textContent).toMatch(/Before: SHA256:firstNow: SHA256:second/)
  expect(dialog.queryByLabelText(/This is the key of my server/)).toBeNull()
})

test('a form asks what is shown, and a server only for its host key before that is confirmed', async () => {
  const connectAccountByForm = vi.fn((_asked: { input: { fields: object[]; scope: string } }) => inForm([]))
  const tested = { __typename: 'TestAccountFormPayload', ok: false, identity: null, quota: null, folderField: null }
  const testAccountForm = { ...tested, fingerprint: 'SHA256:first', folders: [], problem: 'It is SHA256:first.' }
  const viewer = viewerWith([])
  const key = { name: 'fingerprint', label: 'Host key', help: null, type: 'TEXT', choices: [], onRequest: false }
  const field = { ...key, secret: false, required: false, stored: true }
  const providers = viewer.providers.map((one) => ({ ...one, canShowEverything: true, fields: [...one.fields, field] }))
  await open([], { viewer: { ...viewer, providers }, connectAccountByForm, testAccountForm })
  const dialog = await startForm()
  expect(dialog.queryByText(/^Nothing is moved, copied or deleted/)).not.toBeNull()
  expect(dialog.queryByText(/shared drives/)).toBeNull()
  await userEvent.type(dialog.getByLabelText('Account name'), 'Quay')
  await userEvent.click(dialog.getByRole('button', { name: 'Connect' }))
  await userEvent.click(await dialog.findByLabelText(/This is the key of my server/))
  expect(connectAccountByForm).not.toHaveBeenCalled()
  await userEvent.click(dialog.getByRole('radio', { name: /^Only what Skypool stores/ }))
  await userEvent.click(dialog.getByRole('button', { name: 'Connect' }))
  await waitFor(() =>
    expect(connectAccountByForm.mock.lastCall?.[0].input.fields).toContainEqual({
      name: 'fingerprint',
      value: 'SHA256:first',
    }),
  )
  expect(connectAccountByForm.mock.lastCall?.[0].input.scope).toBe('OWN')
})

test('a capacity is set where the service reports none, and said to be of the user', async () => {
  const account = fakeAccount('acct_5', 'Quay', { email: null, quota: fakeQuota(5, null) })
  const updateAccount = vi.fn(() => ({
    __typename: 'UpdateAccountPayload',
    account: { ...account, capacityBytes: 50 * 1024 ** 3, quota: fakeQuota(5, 50) },
  }))
  await open([account], { updateAccount })
  await userEvent.click(await screen.findByRole('button', { name: 'Set the capacity of Quay' }))
  await userEvent.type(await screen.findByLabelText('Capacity, in GB'), '50')
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('Capacity set by you')).toBeTruthy()
  expect(variablesOf('CapacityDialogMutation')).toEqual({ input: { id: 'acct_5', capacityBytes: 50 * 1024 ** 3 } })
})

test('a field on request is shown once the server asks for it, and stays', async () => {
  const asked: { name: string; value: string }[][] = []
  const connectAccountByForm = ({ input }: { input: { fields: { name: string; value: string }[] } }) => {
    asked.push(input.fields)
    const code = input.fields.find(({ name }) => name === 'code')?.value
    if (code !== '123456') {
      return inForm([{ path: 'fields.code', message: code ? 'Not this code.' : 'A code is needed.' }])
    }
    const account = fakeAccount('acct_5', 'Quay', { provider: 'harbour', providerName: 'Harbour', connectsBy: 'FORM' })
    return { __typename: 'ConnectAccountByFormPayload', account, viewer: viewerWith([account]) }
  }
  await open([], { connectAccountByForm })
  const dialog = await startForm()
  expect(dialog.queryByLabelText('Code')).toBeNull()
  expect(dialog.getByRole('button', { name: 'Test connection' })).toBeTruthy()
  await userEvent.type(dialog.getByLabelText('Account name'), 'Quay')
  await userEvent.type(dialog.getByLabelText('Password'), 'plank')
  const connect = () => userEvent.click(dialog.getByRole('button', { name: 'Connect' }))
  await connect()
  expect((await dialog.findByRole('alert')).textContent).toBe('A code is needed.')
  // A test would use up the code.
  expect(dialog.queryByRole('button', { name: /^Test/ })).toBeNull()
  await userEvent.type(dialog.getByLabelText('Code'), '1')
  await connect()
  expect(await dialog.findByText('Not this code.')).toBeTruthy()
  await userEvent.type(dialog.getByLabelText('Code'), '23456')
  await connect()
  expect(await screen.findByText('Account connected successfully')).toBeTruthy()
  expect(asked.map((fields) => fields.map(({ name }) => name))).toEqual([
    ['password'],
    ['password', 'code'],
    ['password', 'code'],
  ])
})

test('what the provider refuses is said, and the form stays as it was', async () => {
  const message = 'Harbour did not accept what you entered. Please check it and try again.'
  const refused = { __typename: 'AuthorizationFailedError', code: 'AUTHORIZATION_FAILED', message }
  await open([], { connectAccountByForm: refused })
  const dialog = await startForm()
  await userEvent.type(dialog.getByLabelText('Account name'), 'Quay')
  await userEvent.type(dialog.getByLabelText('Password'), 'wrong')
  await userEvent.click(dialog.getByRole('button', { name: 'Connect' }))
  expect((await dialog.findByRole('alert')).textContent).toBe(message)
  expect((dialog.getByLabelText('Password') as HTMLInputElement).value).toBe('wrong')
  await userEvent.type(dialog.getByLabelText('Password'), '!')
  expect(dialog.queryByRole('alert')).toBeNull()
})

test('an account of a provider with a form is connected again by the form, without a window', async () => {
  const opened = vi.spyOn(window, 'open')
  const more = { provider: 'harbour', providerName: 'Harbour', connectsBy: 'FORM', email: null }
  const account = fakeAccount('acct_5', 'Quay', { ...more, status: 'EXPIRED' })
  let now = account
  await open([account], {
    refreshQuotas: () => readings([now]).refreshQuotas,
    node: {
      ...{ __typename: 'Account', id: 'acct_5' },
      formValues: [
        { name: 'address', value: 'https://quay.example' },
        { name: 'quay', value: 's' },
      ],
    },
    reconnectAccountByForm: () => {
      now = { ...account, status: 'CONNECTED' }
      return { __typename: 'ReconnectAccountByFormPayload', account: now }
    },
  })
  await userEvent.click(within(await card('Quay')).getByRole('button', { name: 'Re-connect' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Connect Quay again' }))
  expect(dialog.queryByLabelText('Account name')).toBeNull()
  // The server may have a key; once a secret is entered, it uses none of the others.
  const required = () => ['Password', 'Lock'].map((label) => dialog.getByLabelText<HTMLInputElement>(label).required)
  expect([required(), dialog.getAllByText('Leave it empty to keep the present one.').length]).toEqual([
    [false, false],
    2,
  ])
  await userEvent.type(dialog.getByLabelText('Password'), 'new plank')
  expect([required(), dialog.queryByText('Leave it empty to keep the present one.')]).toEqual([[true, true], null])
  await userEvent.type(dialog.getByLabelText('Lock'), '7')
  await userEvent.click(dialog.getByRole('button', { name: 'Re-connect' }))
  expect(await screen.findByText('Reconnection successfully')).toBeTruthy()
  expect(variablesOf('connectByFormReconnectMutation')).toEqual({
    input: {
      id: 'acct_5',
      fields: [
        { name: 'address', value: 'https://quay.example' },
        { name: 'quay', value: 's' },
        { name: 'password', value: 'new plank' },
        { name: 'lock', value: '7' },
      ],
    },
  })
  await waitFor(async () => expect(within(await card('Quay')).getByText('Connected')).toBeTruthy())
  expect(opened).not.toHaveBeenCalled()
})

test('the steps of a provider have what is to be copied in boxes, and lead from 127.0.0.1 to localhost', async () => {
  const viewer = viewerWith([])
  const setupSteps = [
    'Allow what is needed (https://console.example/scopes). Enter the lines `scope.one` `scope.two`, then choose Save.',
    'Say where people return to. Enter the redirect address <PUBLIC_URL>/oauth/dropbox/callback, and choose Add.',
    'Give Skypool the id. Set DROPBOX_CLIENT_ID to it.',
  ]
  const providers = viewer.providers.map((one) =>
    one.id === 'dropbox' ? { ...one, setupSteps, requiredSettings: ['DROPBOX_CLIENT_ID'] } : one,
  )
  server.state.root = {
    viewer: { ...viewer, role: 'ADMINISTRATOR', providers },
    server: { version: '1', uploadTypes: null },
  }
  await renderApp(`${server.origin}/cloud-integration?setup=dropbox`)
  const [lines, address, settings] = await waitFor(() => {
    const items = screen.getAllByRole('listitem').filter((item) => item.querySelector('h2') !== null)
    expect(items.length).toBe(3)
    return items
  })
  expect(lines?.textContent).toContain('Enter the lines, then choose Save. Open console.example/scopes')
  const boxes = [lines, address, settings].map((item) => item?.querySelector('code')?.textContent)
  expect(boxes).toEqual(['scope.one\nscope.two', `${server.origin}/oauth/dropbox/callback`, 'DROPBOX_CLIENT_ID='])
  expect(settings?.textContent).toContain('to the file .env in the folder of Skypool')
  expect(address?.textContent).toContain('127.0.0.1 is another address than localhost')
  expect(lines?.textContent).not.toContain('Made from the address')
  const link = screen.getByRole<HTMLAnchorElement>('link', { name: 'Open at localhost' })
  expect(link.href).toBe(`${server.origin.replace('127.0.0.1', 'localhost')}/cloud-integration?setup=dropbox`)
})

test('an account whose provider has no settings any more does not count as connected', async () => {
  await open([fakeAccount('acct_1', 'Boxes', { provider: 'dropbox' }), fakeAccount('acct_2', 'Studio')])
  const [without, withSettings] = [await card('Boxes - boxes@post.example'), await card('Studio - studio@post.example')]
  expect(within(without).getByText('Not set up')).toBeTruthy()
  expect(within(without).queryByText('Connected')).toBeNull()
  expect(within(withSettings).getByText('Connected')).toBeTruthy()
})
