import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
// Loaded beforehand, so that going there takes no time.
import '../../web/screens/Files/FilesScreen.tsx'
import { accessChanges } from '../../web/features/Live/liveEvents.ts'
import { type FakeGraphql, startFakeGraphql } from './support/fakeGraphql.ts'
import { fakeActivities, fakeSession, personWith } from './support/fakePeople.ts'
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
  localStorage.clear()
  document.documentElement.classList.remove('dark')
})
afterEach(() => vi.restoreAllMocks())

async function open(person: Parameters<typeof personWith>[0] = {}, more: object = {}, anchor = '') {
  server.state.root = { viewer: personWith(person), server: { version: '1', uploadTypes: null }, ...more }
  const app = await renderApp(`${server.origin}/settings${anchor}`)
  await screen.findByRole('heading', { level: 1, name: 'Settings' })
  return app
}

const section = (name: string) => within(screen.getByRole('region', { name }))
const variablesOf = (name: string) => server.state.seen.find((seen) => seen.name === name)?.variables
const isDark = () => document.documentElement.classList.contains('dark')
const isPressed = (name: string) => screen.getByRole('button', { name }).getAttribute('aria-pressed')
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))

test('a theme is chosen and kept; until then, and again on request, the system decides', async () => {
  await open()
  expect([isPressed('Light Mode'), isPressed('Dark Mode')]).toEqual(['true', 'false'])
  expect(screen.queryByRole('button', { name: 'Use my system setting' })).toBeNull()
  await press('Dark Mode')
  expect([isDark(), localStorage.getItem('theme'), isPressed('Dark Mode')]).toEqual([true, 'dark', 'true'])
  await press('Light Mode')
  expect([isDark(), localStorage.getItem('theme')]).toEqual([false, 'light'])
  await press('Dark Mode')
  await press('Use my system setting')
  expect([isDark(), localStorage.getItem('theme')]).toEqual([false, null])
  expect(screen.queryByRole('button', { name: 'Use my system setting' })).toBeNull()
})

test.each([
  ['#activity', 'Activity'],
  ['#versions', 'Versions'],
  ['#search', 'Search inside files'],
])('a link to %s leads to that section', async (anchor, name) => {
  const shown: (string | null)[] = []
  vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element) {
    shown.push(this.querySelector('h2')?.textContent ?? null)
  })
  await open({}, {}, anchor)
  await waitFor(() => expect(shown).toEqual([name]))
})

test('single-key shortcuts are switched off for the file manager too', async () => {
  await open()
  await userEvent.click(screen.getByRole('switch', { name: 'Single-key shortcuts' }))
  expect(localStorage.getItem('single-keys')).toBe('off')
  await act(async () => screen.getByRole('link', { name: 'Starred' }).click())
  await screen.findByText('Nothing is starred')
  const shortcuts = () => screen.queryByRole('dialog', { name: 'Keyboard shortcuts' })
  await userEvent.keyboard('?')
  expect(shortcuts()).toBeNull()
  await act(async () => screen.getByRole('link', { name: 'Settings' }).click())
  await userEvent.click(await screen.findByRole('switch', { name: 'Single-key shortcuts' }))
  await act(async () => screen.getByRole('link', { name: 'Starred' }).click())
  await screen.findByText('Nothing is starred')
  await userEvent.keyboard('?')
  await waitFor(() => expect(shortcuts()).not.toBeNull())
})

test('a new name is shown everywhere; a blank one is asked for, and what the server says stands under the field', async () => {
  const changeName = vi
    .fn()
    .mockReturnValueOnce({
      __typename: 'InvalidInputError',
      code: 'INVALID_INPUT',
      message: 'Something is not right.',
      fields: [{ path: 'fullName', message: 'That is too long.' }],
    })
    .mockImplementation(() => ({
      __typename: 'ChangeNamePayload',
      viewer: { ...personWith({}), fullName: 'Maren Holt-Berg' },
    }))
  await open({}, { changeName })
  await press('Change name')
  const dialog = within(await screen.findByRole('dialog', { name: 'Change name' }))
  const field = dialog.getByLabelText('Full name')
  await userEvent.clear(field)
  await userEvent.type(field, '  {Enter}')
  expect(await dialog.findByText('Please enter your full name.')).toBeTruthy()
  await userEvent.type(field, 'Maren Holt-Berg{Enter}')
  expect(await dialog.findByText('That is too long.')).toBeTruthy()
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('Name changed')).toBeTruthy()
  expect(await screen.findAllByText('Maren Holt-Berg')).toHaveLength(2)
  expect(variablesOf('changeNameMutation')).toEqual({ input: { fullName: 'Maren Holt-Berg' } })
})

test('a password is checked before it is sent, and by the server', async () => {
  const changePassword = vi
    .fn()
    .mockReturnValueOnce({
      __typename: 'InvalidInputError',
      code: 'INVALID_INPUT',
      message: 'Something is not right.',
      fields: [{ path: 'currentPassword', message: 'This is not your password.' }],
    })
    .mockImplementation(() => ({ __typename: 'ChangePasswordPayload', viewer: personWith({}) }))
  await open(
    { sessions: [fakeSession('sess_1', 'Here', { current: true }), fakeSession('sess_2', 'There')] },
    { changePassword },
  )
  await press('Change password')
  const dialog = within(await screen.findByRole('dialog', { name: 'Change password' }))
  const save = () => userEvent.click(dialog.getByRole('button', { name: 'Change password' }))
  await userEvent.type(dialog.getByLabelText('New password'), 'short')
  await save()
  expect(await dialog.findByText('Please enter your current password.')).toBeTruthy()
  expect(dialog.getByText('Password must be at least 8 characters long')).toBeTruthy()
  expect(dialog.getByText("Passwords don't match")).toBeTruthy()
  await userEvent.type(dialog.getByLabelText('Current password'), 'old secret')
  await userEvent.type(dialog.getByLabelText('New password'), ' but longer')
  await userEvent.type(dialog.getByLabelText('Confirm new password'), 'short but longer')
  await save()
  expect(await dialog.findByText('This is not your password.')).toBeTruthy()
  expect(document.activeElement).toBe(dialog.getByLabelText('Current password'))
  await save()
  expect(await screen.findByText('Password changed')).toBeTruthy()
  expect(variablesOf('changePasswordMutation')).toEqual({
    input: { currentPassword: 'old secret', newPassword: 'short but longer' },
  })
  expect(screen.queryByText('There')).toBeNull()
})

const here = fakeSession('sess_1', 'Chrome on Linux', { current: true })

test('one session is signed out, or all others at once; a failure is said', async () => {
  const phone = fakeSession('sess_2', 'Safari on iPhone', { address: '10.0.0.7' })
  const tablet = fakeSession('sess_3', 'Firefox on Android')
  const endSession = vi
    .fn()
    .mockReturnValueOnce({ __typename: 'NotFoundError', code: 'NOT_FOUND', message: 'There is no such session.' })
    .mockImplementation(() => ({
      __typename: 'EndSessionPayload',
      endedId: 'sess_2',
      viewer: personWith({ sessions: [here, tablet, fakeSession('sess_4', 'A program')] }),
    }))
  await open(
    { sessions: [here, phone, tablet, fakeSession('sess_4', 'A program')] },
    { endSession, endOtherSessions: () => ({ ended: 2, viewer: personWith({ sessions: [here] }) }) },
  )
  const sessions = section('Sessions')
  expect(sessions.getByText('This browser')).toBeTruthy()
  expect(sessions.getAllByRole('button', { name: /^Sign out (?!all)/ })).toHaveLength(3)
  const out = () => userEvent.click(sessions.getByRole('button', { name: 'Sign out Safari on iPhone, 10.0.0.7' }))
  await out()
  expect(await screen.findByText('There is no such session.')).toBeTruthy()
  await out()
  await waitFor(() => expect(sessions.queryByText('Safari on iPhone')).toBeNull())
  expect(document.activeElement).toBe(sessions.getByRole('list'))
  await press('Sign out all others')
  await waitFor(() => expect(sessions.getAllByRole('listitem')).toHaveLength(1))
  expect(screen.queryByRole('button', { name: 'Sign out all others' })).toBeNull()
})

test('who signs in elsewhere appears by themselves', async () => {
  await open()
  const sessions = [fakeSession('sess_1', 'Chrome on Linux', { current: true }), fakeSession('sess_2', 'Firefox')]
  Object.assign(server.state.root.viewer as object, { sessions })
  act(() => accessChanges.say())
  expect(await section('Sessions').findByText('Firefox')).toBeTruthy()
})

const LOG = [
  { action: 'KEY_CREATED', sentence: 'You created the key “Backup”.' },
  ...Array.from({ length: 60 }, (_, index) => ({
    action: 'FOLDER_CREATED',
    sentence: `You created the folder “${index}”.`,
  })),
  { action: 'SIGNED_UP', sentence: 'You signed up.' },
]

test('the log is read page by page, searched and narrowed', async () => {
  await open({ activities: fakeActivities(LOG) })
  const log = section('Activity')
  expect(await log.findByText('You created the key “Backup”.')).toBeTruthy()
  expect(log.getAllByRole('listitem')).toHaveLength(9)
  await press('Show more')
  expect(await log.findByText('You created the folder “40”.')).toBeTruthy()
  await press('Show more')
  expect(await log.findByText('You signed up.')).toBeTruthy()
  expect(log.getAllByRole('listitem')).toHaveLength(LOG.length)
  expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull()
  await choose('Kind of activity', 'API keys')
  await waitFor(() => expect(log.getAllByRole('listitem')).toHaveLength(1))
  expect(log.getByText('You created the key “Backup”.')).toBeTruthy()
  await userEvent.type(log.getByLabelText('Search activity'), 'signed')
  expect(await log.findByText(/No matching activity/)).toBeTruthy()
  await choose('Kind of activity', 'Everything')
  expect(await log.findByText('You signed up.')).toBeTruthy()
})

test('a log without an entry says so', async () => {
  await open()
  expect(await screen.findByText('No activity yet')).toBeTruthy()
})

test('an account is deleted with its password, and the browser forgets who was there', async () => {
  const deleteUser = vi
    .fn()
    .mockReturnValueOnce({
      __typename: 'InvalidInputError',
      code: 'INVALID_INPUT',
      message: 'Something is not right.',
      fields: [{ path: 'password', message: 'This is not your password.' }],
    })
    .mockImplementation(() => {
      server.state.root.viewer = null
      return { __typename: 'DeleteUserPayload', ok: true }
    })
  const { navigation } = await open({}, { deleteUser })
  await press('Delete account…')
  const dialog = within(await screen.findByRole('alertdialog', { name: 'Delete your account?' }))
  const confirm = () => userEvent.click(dialog.getByRole('button', { name: 'Delete account' }))
  await confirm()
  expect(await dialog.findByText('Please enter your password.')).toBeTruthy()
  await userEvent.type(dialog.getByLabelText('Password'), 'secret')
  await confirm()
  expect(await dialog.findByText('This is not your password.')).toBeTruthy()
  await userEvent.click(dialog.getByRole('checkbox'))
  await confirm()
  expect(await screen.findByText('Your account has been deleted')).toBeTruthy()
  expect(navigation.current().location.pathname).toBe('/login')
  const inputs = server.state.seen.filter(({ name }) => name === 'deleteUserMutation').map(({ variables }) => variables)
  expect(inputs).toEqual([
    { input: { password: 'secret', deleteRemote: false } },
    { input: { password: 'secret', deleteRemote: true } },
  ])
})

test('the administrator sees the server, makes an invitation and revokes it', async () => {
  const invitation = (id: string, more: object = {}) => ({
    ...{ id, email: null, state: 'OPEN', createdAt: '2026-11-01T00:00:00Z', expiresAt: '2036-11-01T00:00:00Z' },
    ...{ usedAt: null, usedBy: null, ...more },
  })
  const used = invitation('inv_1', { state: 'USED', usedAt: '2026-11-02T00:00:00Z', usedBy: 'Jonas Berg' })
  const administration = {
    ...{ registration: 'INVITE', users: 3, usedBytes: 5 * 1024 ** 3, totalBytes: 10 * 1024 ** 3 },
    invitations: [used],
  }
  const viewer = (invitations: object[]) => ({ ...personWith({}), administration: { ...administration, invitations } })
  const made = invitation('inv_2', { email: 'jonas@example.com' })
  await open(
    {},
    {
      viewer: viewer([used]),
      createInvitation: () => ({
        __typename: 'CreateInvitationPayload',
        url: 'https://files.example.org/register?invite=abc',
        viewer: viewer([made, used]),
      }),
      revokeInvitation: () => ({ __typename: 'RevokeInvitationPayload', viewer: viewer([used]) }),
    },
  )
  expect(section('Server').getByText('5.00 GB of 10.00 GB used · 3 users')).toBeDefined()
  expect(section('Server').getByText(/Used by Jonas Berg/)).toBeDefined()
  await press('Invite')
  await userEvent.type(await screen.findByLabelText('Email (optional)'), ' jonas@example.com ')
  await press('Create link')
  const link = await screen.findByLabelText<HTMLInputElement>('Invitation link')
  expect(link.value).toBe('https://files.example.org/register?invite=abc')
  expect(variablesOf('invitationsCreateMutation')).toEqual({ input: { email: 'jonas@example.com' } })
  await press('Done')
  await userEvent.click(await screen.findByRole('button', { name: 'Revoke the invitation: jonas@example.com' }))
  await waitFor(() => expect(screen.queryByText('jonas@example.com')).toBeNull())
  expect(variablesOf('invitationsRevokeMutation')).toEqual({ input: { id: 'inv_2' } })
})

test('nobody else sees the server', async () => {
  await open()
  expect(screen.queryByRole('region', { name: 'Server' })).toBeNull()
})
