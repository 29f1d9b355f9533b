import lighthouse from 'lighthouse'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chromiumPath, FLAGS, launchBrowser, signUp } from './support/browser.ts'
import { freePort, startServer, type TestServer } from './support/server.ts'

/**
 * Lighthouse of a page as a signed-in person sees it: accessibility and best practices are judged. Performance is a timing,
 * and this may be a busy machine: with LIGHTHOUSE=all it is printed, not asserted.
 */
let server: TestServer

beforeAll(async () => {
  server = await startServer()
})

afterAll(async () => {
  await server?.close()
})

const ALL = process.env.LIGHTHOUSE === 'all'
const JUDGED = { accessibility: 100, 'best-practices': 100 }
/** Looking at performance takes three times as long. */
const CATEGORIES = [...Object.keys(JUDGED), ...(ALL ? ['performance'] : [])]

/** For a page to be loaded: Lighthouse does not wait for its stream of changes, which is of low priority and never ends. */
const LOADED_MS = 20_000

/** Lighthouse could not look at something (its own time limits, on a busy machine): neither good nor bad. */
class Unjudged extends Error {}

async function scoresOf(path: string, isSignedIn: boolean): Promise<Record<string, number>> {
  const port = await freePort()
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: [...FLAGS, `--remote-debugging-port=${port}`],
  })
  try {
    const context = browser.contexts()[0] ?? (await browser.newContext())
    const page = await context.newPage()
    const cookie = isSignedIn ? await cookieOf(page) : undefined
    const result = await lighthouse(
      server.url + path,
      { port, logLevel: 'error', onlyCategories: CATEGORIES },
      {
        extends: 'lighthouse:default',
        settings: {
          maxWaitForLoad: LOADED_MS,
          formFactor: 'desktop',
          screenEmulation: { mobile: false, width: 1350, height: 940, deviceScaleFactor: 1, disabled: false },
          throttling: {
            rttMs: 40,
            throughputKbps: 10_240,
            cpuSlowdownMultiplier: 1,
            requestLatencyMs: 0,
            downloadThroughputKbps: 0,
            uploadThroughputKbps: 0,
          },
          ...(cookie && { extraHeaders: { cookie } }),
        },
      },
    )
    if (!result) throw new Error(`Lighthouse said nothing about ${path}.`)
    const { audits, categories } = result.lhr
    const failed = Object.values(audits).filter(({ scoreDisplayMode }) => scoreDisplayMode === 'error')
    if (failed.length > 0) throw new Unjudged(failed.map(({ id, errorMessage }) => `${id}: ${errorMessage}`).join('\n'))
    return Object.fromEntries(
      Object.entries(categories).map(([name, { score }]) => [name, Math.round((score ?? 0) * 100)]),
    )
  } finally {
    await browser.close()
  }
}

async function cookieOf(page: import('playwright-core').Page): Promise<string> {
  await signUp(page, server.url)
  const cookies = await page.context().cookies(server.url)
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
}

/** A file of a person, and its link. */
async function shareOne(): Promise<string> {
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    await signUp(page, server.url)
    const headers = { origin: server.url }
    const file = { name: 'Notes.txt', mimeType: 'text/plain', buffer: Buffer.from('North wall') }
    const uploaded = await page.request.post(`${server.url}/api/v1/files`, { headers, multipart: { file } })
    const data = { fileId: (await uploaded.json()).id }
    const share = await page.request.post(`${server.url}/api/v1/shares`, { headers, data })
    return new URL((await share.json()).url).pathname
  } finally {
    await browser.close()
  }
}

const PUBLIC = ['/login', '/register', '/forgot-password', '/reset-password?token=0123456789abcdef', '/privacy-policy']
const OWN = ['', '/my-drive', '/shared', '/starred', '/trash']
  .map((view) => `/file-manager${view}`)
  .concat('/dashboard', '/cloud-integration', '/group-cloud', '/key-management', '/settings', '/docs/graphql')

/** Every route with LIGHTHOUSE=all, else those that people see most. */
const USUAL: readonly string[] = ['/login', '/file-manager', '/dashboard']
const ROUTES = [
  ...PUBLIC.map((path) => ({ path, isSignedIn: false })),
  ...OWN.map((path) => ({ path, isSignedIn: true })),
].filter(({ path }) => ALL || USUAL.includes(path))

test.each(ROUTES)('Lighthouse finds nothing to better on $path', ({ path, isSignedIn }) => judge(path, isSignedIn))

test('Lighthouse finds nothing to better on a link', async () => judge(await shareOne(), false))

async function judge(path: string, isSignedIn: boolean): Promise<void> {
  const scores = await scoresOf(path, isSignedIn).catch((error: unknown) => {
    if (!(error instanceof Unjudged)) throw error
    console.log(`Lighthouse looks at ${path} again: ${error.message}`)
    return scoresOf(path, isSignedIn)
  })
  if (ALL) console.log(`Lighthouse ${path}: performance ${scores.performance}`)
  expect(scores).toMatchObject(JUDGED)
}
