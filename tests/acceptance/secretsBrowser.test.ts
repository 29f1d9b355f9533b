import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchBrowser, newPerson, signUp, visit } from '../e2e/support/browser.ts'
import { connect } from '../e2e/support/connecting.ts'
import { MIB, type Providers, startProviders } from './support/emulators.ts'
import { type ServerProcess, startProcess } from './support/process.ts'
import { startProxy } from './support/proxy.ts'
import { createSecrets } from './support/secrets.ts'

const secrets = createSecrets()
let providers: Providers
let proxy: Awaited<ReturnType<typeof startProxy>>
let server: ServerProcess
let browser: Browser

beforeAll(async () => {
  ;[providers, browser] = await Promise.all([startProviders(), launchBrowser()])
  proxy = await startProxy(providers.url, secrets.addExchange)
  server = await startProcess(proxy.url)
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
  await proxy?.close()
  await providers?.close()
})

/** All that a script on the page, or whoever uses this browser next, could read. */
async function everythingKept(page: Page): Promise<string> {
  const kept = await page.evaluate(async () => {
    const databases = await indexedDB.databases()
    const rows = await Promise.all(databases.map(({ name }) => readDatabase(name ?? '')))
    const cached = await Promise.all(
      (await caches.keys()).map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url)),
    )
    const addresses = performance.getEntries().map(({ name }) => name)
    return [{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state, rows, cached, addresses]

    function readDatabase(name: string): Promise<unknown[]> {
      return new Promise((resolve, reject) => {
        const opening = indexedDB.open(name)
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const stores = [...opening.result.objectStoreNames]
          if (stores.length === 0) return resolve([])
          const reading = stores.map((store) => opening.result.transaction(store).objectStore(store).getAll())
          const wait = setInterval(() => {
            if (reading.some(({ readyState }) => readyState === 'pending')) return
            clearInterval(wait)
            resolve(reading.map(({ result }) => result))
          }, 10)
        }
      })
    }
  })
  return `${page.url()} ${JSON.stringify(kept)} ${await page.content()}`
}

it('no secret stays in the browser, and no script there can read the session', async () => {
  const { page, context, problems } = await visit(browser)
  const person = await signUp(page, server.url, newPerson())
  secrets.add('password', person.password)
  await context.clearCookies()
  await page.goto(`${server.url}/login`)
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.waitForURL((url) => url.pathname !== '/login')
  const cookies = await context.cookies()
  for (const { value, httpOnly } of cookies.filter(({ name }) => name === 'sid')) {
    expect(httpOnly).toBe(true)
    secrets.add('session', value)
  }

  await page.goto(`${server.url}/cloud-integration`)
  const [google, dropbox] = [providers.addPerson('google', 100 * MIB), providers.addPerson('dropbox', 100 * MIB)]
  await connect(page, google)
  const pages = [await everythingKept(page)]
  await connect(page, dropbox, { provider: 'Dropbox', name: 'Boxes' })
  for (const path of ['/cloud-integration', '/group-cloud', '/file-manager', '/settings', '/key-management']) {
    await page.goto(server.url + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    pages.push(await everythingKept(page))
  }

  expect([...secrets.kinds()]).toEqual(
    expect.arrayContaining(['access_token', 'code', 'code_verifier', 'password', 'refresh_token', 'session']),
  )
  for (const text of pages) expect(secrets.hits(text)).toEqual([])
  // What is looked for would be found.
  expect(pages.join()).toContain(google)
  expect(problems).toEqual([])
})
