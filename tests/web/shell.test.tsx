import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { GraphQLError } from 'graphql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { writeCookie } from '../../web/lib/cookie.ts'
import { type FakeGraphql, fakeViewer, startFakeGraphql } from './support/fakeGraphql.ts'
import { renderApp } from './support/renderApp.tsx'
import { setMobile } from './support/renderPage.tsx'

let server: FakeGraphql
beforeAll(async () => {
  server = await startFakeGraphql({})
})
afterAll(() => server.close())
beforeEach(() => {
  setMobile(false)
  writeCookie('sidebar_state', '', 0)
  server.state.root = { viewer: fakeViewer, server: { version: '1', uploadTypes: null } }
  server.state.failWith = null
  server.state.seen = []
})

const open = (path: string) => renderApp(server.origin + path)
const sidebar = () => screen.findByRole('complementary', { name: 'Main' })

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

describe('who may see what', () => {
  test('a person who is not signed in goes to the login page, which remembers where to', async () => {
    server.state.root = { viewer: null }
    await open('/file-manager/starred?sort=size')
    expect(await screen.findByRole('heading', { name: 'Log in' })).toBeDefined()
    expect(window.location.search).toBe(`?from=${encodeURIComponent('/file-manager/starred?sort=size')}`)
  })

  test('an unknown address asks for the session first', async () => {
    server.state.root = { viewer: null }
    await open('/nowhere')
    expect(await screen.findByRole('heading', { name: 'Log in' })).toBeDefined()
  })

  test('an unknown address says so to those who are signed in', async () => {
    await open('/nowhere')
    expect(await screen.findByRole('heading', { name: 'Page not found' })).toBeDefined()
    expect(await sidebar()).toBeDefined()
  })

  test('a signed-in person at /login is sent on to the file manager', async () => {
    await open('/login')
    await sidebar()
    expect(window.location.pathname).toBe('/file-manager')
  })

  test('the root leads to the file manager', async () => {
    await open('/')
    await sidebar()
    expect(window.location.pathname).toBe('/file-manager')
  })

  test('says Loading... while the session is looked up', async () => {
    const { promise, resolve } = deferred<typeof fakeViewer>()
    server.state.root = { ...server.state.root, viewer: () => promise }
    await open('/file-manager')
    expect(await screen.findByText('Loading...')).toBeDefined()
    resolve(fakeViewer)
    await sidebar()
  })

  test('the privacy policy needs no session', async () => {
    server.state.root = { viewer: null }
    await open('/privacy-policy')
    expect(await screen.findByText(/January 1, 2025/)).toBeDefined()
    expect(server.state.seen).toEqual([])
  })
})

describe('the sidebar', () => {
  test('has the title, the upload button, the five views, the pool, the privacy policy and who is signed in', async () => {
    const unused = { ...fakeViewer.accounts[0], id: 'acc_2', name: 'In no group cloud' }
    const pool = {
      __typename: 'GroupCloud',
      id: 'gcl_1',
      name: 'My Cloud',
      members: [{ account: fakeViewer.accounts[0] }],
    }
    server.state.root = {
      viewer: { ...fakeViewer, accounts: [...fakeViewer.accounts, unused], groupClouds: [pool] },
    }
    await open('/file-manager/my-drive')
    const aside = await sidebar()
    expect(aside.textContent).toContain('File Manager')
    expect(screen.getByRole('link', { name: 'My Drive' }).getAttribute('aria-current')).toBe('page')
    for (const name of ['All Files', 'Shared', 'Starred', 'Trash', 'Privacy policy']) {
      expect(screen.getByRole('link', { name }).getAttribute('aria-current')).toBeNull()
    }
    expect(aside.textContent).toContain('9.00 GB free')
    expect(aside.textContent).toContain('of 15.00 GB')
    expect(aside.textContent).toContain('maren@example.com')
    expect(screen.queryByRole('img', { name: /In no group cloud/ })).toBeNull()
    expect(screen.getByRole('img', { name: /This server: 5.00 GB used, 9.00 GB free of 15.00 GB/ })).toBeDefined()
  })

  test('collapses to icons with Ctrl+B and with Command+B, and remembers it in a cookie', async () => {
    const user = userEvent.setup()
    await open('/file-manager')
    const aside = await sidebar()
    await user.keyboard('{Control>}b{/Control}')
    expect(aside.className).toContain('collapsed')
    expect(document.cookie).toContain('sidebar_state=false')
    expect(screen.getByRole('link', { name: 'Trash' })).toBeDefined()
    await user.keyboard('{Meta>}b{/Meta}')
    expect(aside.className).not.toContain('collapsed')
    expect(document.cookie).toContain('sidebar_state=true')
  })

  test('starts as the cookie says', async () => {
    writeCookie('sidebar_state', 'false', 7)
    await open('/file-manager')
    expect((await sidebar()).className).toContain('collapsed')
    await userEvent.click(screen.getByRole('button', { name: 'Expand sidebar' }))
    expect((await sidebar()).className).not.toContain('collapsed')
  })

  test('is a sheet on a narrow screen, gone after a link is followed', async () => {
    setMobile(true)
    await open('/file-manager')
    const button = await screen.findByRole('button', { name: 'Open menu' })
    await act(async () => button.click())
    const link = await screen.findByRole('link', { name: 'Trash' })
    await act(async () => link.click())
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Main' })).toBeNull())
    expect(window.location.pathname).toBe('/file-manager/trash')
  })

  test('opens the upload dialog', async () => {
    await open('/file-manager')
    await sidebar()
    await userEvent.click(screen.getAllByRole('button', { name: 'Upload Files' })[0] as HTMLElement)
    expect(await screen.findByRole('dialog', { name: 'Upload Files' }, { timeout: 120_000 })).toBeDefined()
  })
})

describe('the end of a session', () => {
  const signOut = async () => {
    await userEvent.click(await screen.findByRole('button', { name: /Maren Holt/ }))
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Sign out' }))
  }

  test('signing out leads to the login page and forgets what was read', async () => {
    server.state.root = { ...server.state.root, logout: { loggedOut: true } }
    const { navigation } = await open('/file-manager')
    const before = navigation.current().environment
    await sidebar()
    server.state.root = { viewer: null, logout: { loggedOut: true } }
    await signOut()
    expect(await screen.findByRole('heading', { name: 'Log in' })).toBeDefined()
    expect(navigation.current().environment).not.toBe(before)
    expect(window.location.search).toBe('')
    expect(screen.queryByText(/You were signed out/)).toBeNull()
  })

  test('a late answer to the one who left says nothing about the session of today', async () => {
    const { navigation } = await open('/file-manager')
    await sidebar()
    const { promise, resolve } = deferred<null>()
    const late = promise.then(() => {
      throw new GraphQLError('Sign in first.', { extensions: { code: 'UNAUTHENTICATED' } })
    })
    server.state.root = { ...server.state.root, viewer: () => late, logout: { loggedOut: true } }
    await act(async () => screen.getByRole('link', { name: 'Trash' }).click())
    await waitFor(() => expect(server.state.seen.at(-1)?.variables).toMatchObject({ view: 'TRASH' }))
    server.state.root = { viewer: null, logout: { loggedOut: true } }
    await signOut()
    await screen.findByRole('heading', { name: 'Log in' })
    const { environment } = navigation.current()
    const answered = server.state.seen.length
    await act(async () => {
      resolve(null)
      await new Promise((passed) => setTimeout(passed, 200))
    })
    expect(navigation.current().environment).toBe(environment)
    expect(window.location.pathname + window.location.search).toBe('/login')
    expect(server.state.seen.length).toBe(answered)
  })

  test('a sign-out that fails says so and stays', async () => {
    await open('/file-manager')
    await sidebar()
    server.state.failWith = 503
    await signOut()
    expect(await screen.findByText('Could not sign out', {}, { timeout: 120_000 })).toBeDefined()
    expect(window.location.pathname).toBe('/file-manager')
  })

  test('a session that ended meanwhile leads to the login page, and back afterwards', async () => {
    await open('/file-manager')
    await sidebar()
    server.state.root = { viewer: null }
    await act(async () => screen.getByRole('link', { name: 'Trash' }).click())
    expect(await screen.findByRole('heading', { name: 'Log in' })).toBeDefined()
    expect(window.location.search).toBe(`?from=${encodeURIComponent('/file-manager/trash')}`)
    expect(screen.getByText('You were signed out. Sign in again to continue.')).toBeDefined()
  })
})

test('a server that fails says so, and Try again tries again', async () => {
  server.state.failWith = 502
  await open('/file-manager')
  expect(await screen.findByText('This page could not be loaded')).toBeDefined()
  server.state.failWith = null
  await act(async () => screen.getByRole('button', { name: 'Try again' }).click())
  expect(await sidebar()).toBeDefined()
})
