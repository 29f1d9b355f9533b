import lighthouse from 'lighthouse'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chromiumPath, FLAGS, signUp } from './support/browser.ts'
import { freePort, startServer, type TestServer } from './support/server.ts'

/**
 * Lighthouse of a page as a signed-in person sees it. Performance is printed, not asserted: it is a timing, and this may be
 * a busy machine. Accessibility and best practices are judged.
 */
let server: TestServer

beforeAll(async () => {
  server = await startServer()
})

afterAll(async () => {
  await server?.close()
})

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
      { port, logLevel: 'error', onlyCategories: ['accessibility', 'best-practices', 'performance'] },
      {
        extends: 'lighthouse:default',
        settings: {
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
    const categories = result?.lhr.categories ?? {}
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

test.each([
  { path: '/login', isSignedIn: false },
  { path: '/register', isSignedIn: false },
  { path: '/file-manager', isSignedIn: true },
])('Lighthouse finds nothing to better on $path', async ({ path, isSignedIn }) => {
  const scores = await scoresOf(path, isSignedIn)
  console.log(`Lighthouse ${path}: performance ${scores.performance}`)
  expect(scores).toMatchObject({ accessibility: 100, 'best-practices': 100 })
})
