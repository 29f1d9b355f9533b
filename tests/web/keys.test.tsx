import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { accessChanges } from '../../web/features/Live/liveEvents.ts'
import { inputOf, NO_LIMITS, tomorrow } from '../../web/screens/Keys/limits.ts'
import { type FakeGraphql, startFakeGraphql } from './support/fakeGraphql.ts'
import { fakeKey, personWith } from './support/fakePeople.ts'
import { renderApp } from './support/renderApp.tsx'
import { setMobile } from './support/renderPage.tsx'

async function choose(list: string, option: string): Promise<void> {
  await userEvent.click(screen.getByRole('button', { name: new RegExp(`^${list}`) }))
  await userEvent.click(await screen.findByRole('option', { name: option }))
}

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

async function open(apiKeys: readonly object[], more: object = {}) {
  server.state.root = { viewer: personWith({ apiKeys }), server: { version: '1', uploadTypes: null }, ...more }
  await renderApp(`${server.origin}/key-management`)
  await screen.findByRole('heading', { level: 1, name: 'API Keys' })
}

const card = async (name: string) => within(await screen.findByRole('article', { name }))
const variablesOf = (name: string) => server.state.seen.find((seen) => seen.name === name)?.variables
const DAY = 86_400_000

test('without a key the page says so', async () => {
  await open([])
  expect(await screen.findByText('No API keys')).toBeTruthy()
})

test('a card says what the key is called, whether it works, when it was made and how it is used', async () => {
  const lastUsedAt = new Date().toISOString()
  const usage = [
    { day: new Date(Date.now() - DAY).toISOString().slice(0, 10), calls: 12_000 },
    { day: lastUsedAt.slice(0, 10), calls: 431 },
  ]
  await open([
    fakeKey('key_1', 'Backup script', { lastUsedAt, usage }),
    fakeKey('key_2', 'Reader', { scopes: ['READ'], expiresAt: new Date(Date.now() + 90 * DAY).toISOString() }),
    fakeKey('key_3', 'Old laptop', { status: 'REVOKED', key: 'sky_live_····x4Tq', revokedAt: lastUsedAt }),
    fakeKey('key_4', 'Trial', { status: 'EXPIRED', expiresAt: lastUsedAt }),
  ])
  const backup = await card('Backup script')
  for (const text of ['API Key', 'Active', 'Created just now', 'sky_live_key_1'])
    expect(backup.getByText(text)).toBeTruthy()
  expect(await backup.findByText(/^Last used today, .* · 12,431 calls in 30 days$/)).toBeTruthy()
  expect(backup.getByRole('img', { name: /^12,431 calls in the last 30 days; the most on .*: 12,000$/ })).toBeTruthy()
  const reader = await card('Reader')
  expect(reader.getByText(/^Can only read/)).toBeTruthy()
  expect(reader.getByText('Expires in 3 months')).toBeTruthy()
  expect(reader.getByText('Never used')).toBeTruthy()
  const old = await card('Old laptop')
  expect(old.getByText('Revoked')).toBeTruthy()
  expect(old.getByText(/^Revoked today/)).toBeTruthy()
  expect((await card('Trial')).getByText('Expired')).toBeTruthy()
})

test('a key that was made elsewhere appears by itself', async () => {
  await open([])
  await screen.findByText('No API keys')
  Object.assign(server.state.root.viewer as object, { apiKeys: [fakeKey('key_1', 'From elsewhere')] })
  act(() => accessChanges.say())
  expect((await card('From elsewhere')).getByText('Active')).toBeTruthy()
})

test('Regenerate is for active keys alone, Revoke for all that are not revoked', async () => {
  await open([
    fakeKey('key_1', 'Backup script'),
    fakeKey('key_3', 'Old laptop', { status: 'REVOKED' }),
    fakeKey('key_4', 'Trial', { status: 'EXPIRED' }),
  ])
  const isEnabled = async (name: string, button: string) =>
    !(await card(name)).getByRole<HTMLButtonElement>('button', { name: button }).disabled
  expect(await isEnabled('Backup script', 'Regenerate')).toBe(true)
  expect(await isEnabled('Backup script', 'Revoke')).toBe(true)
  expect(await isEnabled('Old laptop', 'Regenerate')).toBe(false)
  expect(await isEnabled('Old laptop', 'Revoke')).toBe(false)
  expect(await isEnabled('Trial', 'Regenerate')).toBe(false)
  expect(await isEnabled('Trial', 'Revoke')).toBe(true)
})

test('while the use is being read its place is kept; what cannot be read is said and tried again', async () => {
  vi.spyOn(console, 'error').mockReturnValue(undefined)
  const usage = vi.fn(() => {
    throw new Error('broken')
  })
  await open([fakeKey('key_1', 'Backup script', { usage })])
  const backup = await screen.findByRole('article', { name: 'Backup script' })
  expect(backup.querySelector('[data-testid="skeleton"]')).not.toBeNull()
  expect(await screen.findByText(/This could not be loaded/)).toBeTruthy()
  server.state.root.viewer = personWith({ apiKeys: [fakeKey('key_1', 'Backup script')] })
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('Never used')).toBeTruthy()
})

test('a key is copied whole, and a failure says why', async () => {
  await open([fakeKey('key_1', 'Backup script')])
  const user = userEvent.setup()
  const button = (await card('Backup script')).getByRole('button', { name: 'Copy the key of Backup script' })
  await user.click(button)
  expect(await screen.findByText('Copied to clipboard')).toBeTruthy()
  expect(await navigator.clipboard.readText()).toBe('sky_live_key_1')
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('not now'))
  await user.click(button)
  expect(await screen.findByText('Failed to copy not now')).toBeTruthy()
})

const openForm = async () => {
  await userEvent.click(screen.getByRole('button', { name: 'Generate API Key' }))
  return within(await screen.findByRole('dialog', { name: 'Generate API Key' }))
}

test('a blank name keeps Generate disabled, and Enter asks for one', async () => {
  await open([])
  const form = await openForm()
  const submit = form.getByRole<HTMLButtonElement>('button', { name: 'Generate' })
  expect(submit.disabled).toBe(true)
  await userEvent.type(form.getByLabelText('Name'), '   {Enter}')
  expect(submit.disabled).toBe(true)
  expect(await screen.findByText('Please provide a name for the API key')).toBeTruthy()
  expect(screen.getAllByText('A name helps you identify this key later.')).toHaveLength(2)
  expect(variablesOf('createApiKeyMutation')).toBeUndefined()
})

test('a key is generated with a name alone; the toast comes once the server has made it', async () => {
  const made = fakeKey('key_9', 'Render farm')
  let answer: () => void = () => undefined
  const createApiKey = async () => {
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    server.state.root.viewer = personWith({ apiKeys: [made] })
    return { __typename: 'CreateApiKeyPayload', apiKey: made, viewer: server.state.root.viewer }
  }
  await open([], { createApiKey })
  const form = await openForm()
  await userEvent.type(form.getByLabelText('Name'), ' Render farm {Enter}')
  expect(await form.findByRole('button', { name: 'Generating...' })).toBeTruthy()
  await waitFor(() => expect(variablesOf('createApiKeyMutation')).toEqual({ input: { name: 'Render farm' } }))
  expect(screen.queryByText('API Key generated')).toBeNull()
  answer()
  expect(await screen.findByText('API Key generated')).toBeTruthy()
  expect((await card('Render farm')).getByText('sky_live_key_9')).toBeTruthy()
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('what it can do and for how long can be limited; a refusal keeps what was typed', async () => {
  const refusal = { __typename: 'InvalidInputError', code: 'INVALID_INPUT', message: 'That is too long.', fields: [] }
  await open([], { createApiKey: refusal })
  const form = await openForm()
  await userEvent.type(form.getByLabelText('Name'), 'Reader')
  await userEvent.click(form.getByText('Limit what it can do, or for how long'))
  await userEvent.click(form.getByRole('checkbox', { name: /^Write/ }))
  await choose('How long it works', 'Until a date…')
  await userEvent.click(form.getByRole('button', { name: 'Generate' }))
  expect(await form.findByText('Please choose tomorrow or a later day.')).toBeTruthy()
  await choose('How long it works', '30 days')
  await userEvent.click(form.getByRole('button', { name: 'Generate' }))
  expect(await screen.findByText('That is too long.')).toBeTruthy()
  expect(form.getByLabelText<HTMLInputElement>('Name').value).toBe('Reader')
  const { input } = variablesOf('createApiKeyMutation') as { input: { scopes: string[]; expiresAt: string } }
  expect(input.scopes).toEqual(['READ', 'SHARE'])
  expect(Math.round((Date.parse(input.expiresAt) - Date.now()) / DAY)).toBe(30)
})

test('a new key takes the place of the old one, once that was asked', async () => {
  const anew = fakeKey('key_1', 'Backup script', { key: 'sky_live_anew' })
  await open([fakeKey('key_1', 'Backup script')], {
    regenerateApiKey: { __typename: 'RegenerateApiKeyPayload', apiKey: anew },
  })
  await userEvent.click((await card('Backup script')).getByRole('button', { name: 'Regenerate' }))
  const dialog = within(await screen.findByRole('alertdialog', { name: 'Regenerate “Backup script”?' }))
  expect(variablesOf('changeApiKeyRegenerateMutation')).toBeUndefined()
  await userEvent.click(dialog.getByRole('button', { name: 'Regenerate' }))
  expect(await screen.findByText('API Key regenerated')).toBeTruthy()
  expect((await card('Backup script')).getByText('sky_live_anew')).toBeTruthy()
  expect(variablesOf('changeApiKeyRegenerateMutation')).toEqual({ input: { id: 'key_1' } })
})

test('a key is revoked once that was asked; what the server refuses is said', async () => {
  const gone = fakeKey('key_1', 'Backup script', { status: 'REVOKED', revokedAt: new Date().toISOString() })
  const revokeApiKey = vi
    .fn()
    .mockReturnValueOnce({ __typename: 'NotFoundError', code: 'NOT_FOUND', message: 'There is no such key.' })
    .mockReturnValue({ __typename: 'RevokeApiKeyPayload', apiKey: gone })
  await open([fakeKey('key_1', 'Backup script')], { revokeApiKey })
  await userEvent.click((await card('Backup script')).getByRole('button', { name: 'Revoke' }))
  const dialog = within(await screen.findByRole('alertdialog', { name: 'Revoke “Backup script”?' }))
  await userEvent.click(dialog.getByRole('button', { name: 'Revoke' }))
  expect(await screen.findByText('There is no such key.')).toBeTruthy()
  await userEvent.click(dialog.getByRole('button', { name: 'Revoke' }))
  expect(await screen.findByText('API Key revoked')).toBeTruthy()
  expect((await card('Backup script')).getByText('Revoked')).toBeTruthy()
  await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Backup script'))
})

test('the settings tab says how keys stay safe and shows a first call with the newest key that works', async () => {
  await open([fakeKey('key_3', 'Old laptop', { status: 'REVOKED' }), fakeKey('key_1', "Maren's script")])
  await userEvent.click(await screen.findByRole('tab', { name: 'Settings' }))
  for (const title of ['Secure generation', 'Limited scope', 'Revoke anytime'])
    expect(screen.getByText(title)).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Copy the REST example' }))
  await screen.findByText('Copied to clipboard')
  expect(await navigator.clipboard.readText()).toContain("--header 'Authorization: Bearer sky_live_key_1'")
  expect(screen.getByRole('link', { name: 'REST reference' }).getAttribute('href')).toBe('/api/v1/docs')
  expect(screen.getByRole('link', { name: 'GraphQL explorer' }).getAttribute('href')).toBe('/docs/graphql')
})

describe('limits', () => {
  test('none at all leave it to the server', () => {
    expect(inputOf(NO_LIMITS)).toEqual({})
  })

  test('a day counts to its end, and only from tomorrow on', () => {
    const day = tomorrow()
    expect(inputOf({ ...NO_LIMITS, expiry: 'day', day })).toEqual({
      expiresAt: new Date(`${day}T23:59:59`).toISOString(),
    })
    for (const wrong of ['', '2020-01-01']) expect(inputOf({ ...NO_LIMITS, expiry: 'day', day: wrong })).toBeNull()
  })
})
