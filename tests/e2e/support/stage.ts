import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { launchBrowser, newPerson, type Person, signUp, type Visit, visit } from './browser.ts'
import { startServer, type TestServer } from './server.ts'

export type Stage<Server extends TestServer = TestServer> = {
  readonly server: Server
  readonly browser: Browser
  readonly url: string
  /** A fresh profile. */
  anonymous(options?: BrowserContextOptions): Promise<Visit>
  /** A fresh profile in which somebody new is signed in, at a path or nowhere yet. */
  person(path?: string, options?: BrowserContextOptions): Promise<Visit & { readonly person: Person }>
}

type StageOptions = Parameters<typeof launchBrowser>[0]

/** A server of this kind and a browser, for the tests of one file; every profile ends with the test that opened it. */
export function setStage(): Stage
export function setStage<Server extends TestServer>(start: () => Promise<Server>, options?: StageOptions): Stage<Server>
export function setStage(start: () => Promise<TestServer> = startServer, options: StageOptions = {}): Stage {
  let server: TestServer
  let browser: Browser
  beforeAll(async () => {
    ;[server, browser] = await Promise.all([start(), launchBrowser(options)])
  })
  // A page that is left open goes on listening and painting beside the next test.
  afterEach(async () => {
    await Promise.all(browser?.contexts().map((context) => context.close()) ?? [])
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })
  return {
    get server() {
      return server
    },
    get browser() {
      return browser
    },
    get url() {
      return server.url
    },
    anonymous: (options) => visit(browser, options),
    async person(path, options) {
      const opened = await visit(browser, options)
      const person = await signUp(opened.page, server.url, newPerson())
      if (path !== undefined) await opened.page.goto(server.url + path)
      return { ...opened, person }
    },
  }
}
