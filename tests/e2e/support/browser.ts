import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
} from 'playwright-core'

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell'

/** Where the screenshots of a run with SCREENSHOTS=1 are kept for looking at. */
const OUTPUT = join('tests', 'e2e', 'output')

export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** @throws where no Chromium is installed */
export function chromiumPath(): string {
  const path = process.env.CHROMIUM_PATH ?? CANDIDATES.find((each) => existsSync(each))
  if (!path) throw new Error('No Chromium found: install it, or name it in CHROMIUM_PATH.')
  return path
}

/**
 * Chromium's headless shell where it is installed: it takes a third less time. `full`: the whole Chromium, for what only that has, like
 * its viewer of PDFs.
 */
export async function launchBrowser({ full = false } = {}): Promise<Browser> {
  return chromium.launch({ executablePath: browserPath({ full }), args: FLAGS })
}

/** The program that `launchBrowser` starts. */
export function browserPath({ full = false } = {}): string {
  const shell = process.env.CHROMIUM_SHELL_PATH ?? HEADLESS_SHELL
  return !full && existsSync(shell) ? shell : chromiumPath()
}

export type Visit = { readonly context: BrowserContext; readonly page: Page; readonly problems: string[] }

/** For one step on a page; a machine with other work may be slow to get there. */
const PATIENCE_MS = 90_000

/** Said by the browser's driver for every page, because service workers are blocked. */
const BLOCKED_WORKER = 'Service Worker registration blocked by Playwright'

/** A fresh profile with one page, without service workers unless `options` allow them; `problems` gathers what the console complains about and every answer of 5xx. */
export async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    serviceWorkers: 'block',
    ...options,
  })
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  countRequests(page)
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.text() === BLOCKED_WORKER) return
    // What cannot be drawn, or not now, keeps its icon; the browser reports the answer all the same.
    if (/ (?:404|503) /.test(message.text()) && isThumbnail(message.location().url)) return
    if (message.type() === 'error' || message.type() === 'warning')
      problems.push(`${message.type()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`))
  page.on('response', (response) => {
    const isLater = response.status() === 503 && isThumbnail(response.url())
    if (response.status() >= 500 && !isLater) problems.push(`${response.status()} ${response.url()}`)
  })
  return { context, page, problems }
}

/** What each page has asked for and not got yet. */
const asked = new WeakMap<Page, Set<Request>>()

function countRequests(page: Page): void {
  const open = new Set<Request>()
  asked.set(page, open)
  page.on('request', (request) => {
    // Live answers never end.
    if (!request.headers().accept?.startsWith('text/event-stream')) open.add(request)
  })
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
}

/** Whether a page waits for an answer, other than the live ones; of pages that `visit` did not open, it is not known and assumed. */
export const isAsking = (page: Page): boolean => asked.get(page)?.size !== 0

/** A file in an account can get another content while it is drawn. */
const isThumbnail = (url: string): boolean => url.includes('/thumbnail?')

/** Toasts stay from now on, as in a tab that nobody looks at: what is to be seen of them is not lost on a slow machine. */
export async function keepToasts(page: Page): Promise<void> {
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
}

/** Waits until the page is drawn in its own fonts, and with SCREENSHOTS=1 keeps a picture of it: otherwise they would only take time. */
export async function screenshot(page: Page, name: string): Promise<void> {
  await page.evaluate(isDrawn)
  if (process.env.SCREENSHOTS !== '1') return
  mkdirSync(OUTPUT, { recursive: true })
  await page.screenshot({ path: join(OUTPUT, `${name}.png`) })
}

/** Runs in the page. */
async function isDrawn(): Promise<void> {
  await document.fonts.ready
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  await frame()
  await frame()
}

export type Person = { readonly fullName: string; readonly email: string; readonly password: string }

export function newPerson(): Person {
  const id = crypto.randomUUID().slice(0, 8)
  return { fullName: 'Maren Holt', email: `maren-${id}@example.org`, password: `harbour ${id} house` }
}

/** Registers through the API in the page's own cookie jar: for tests that are not about registering. */
export async function signUp(page: Page, url: string, person: Person = newPerson()): Promise<Person> {
  const response = await page.request.post(`${url}/api/v1/auth/register`, { data: person, headers: { origin: url } })
  if (response.status() !== 201) throw new Error(`register answered ${response.status()}: ${await response.text()}`)
  return person
}
