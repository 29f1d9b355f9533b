import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Frame, Page } from 'playwright-core'
import { screenshot } from './browser.ts'
import { inEachLook, LOOKS, type Look, loaded } from './looks.ts'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Looks at the page as it stands: axe (WCAG 2.2 AA), and that nothing is wider than the window. */
export async function examine(page: Page, name: string, found: string[]): Promise<void> {
  // A dialog is there before it is to be seen.
  await page.waitForFunction(() => !document.querySelector('[role$=dialog] [data-transition]'))
  await page.evaluate(colorsSettled)
  await screenshot(page, name)
  for (const { id, targets } of await violationsOf(page)) found.push(`${name}: ${id}: ${targets.join(', ')}`)
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  if (overflow > 0) found.push(`${name}: ${overflow} px wider than the window`)
}

/** Controls change their colours within milliseconds, in which they have less contrast. Runs in the page. */
async function colorsSettled(): Promise<void> {
  const changing = document.getAnimations().filter((each) => each instanceof CSSTransition)
  const limit = new Promise((resolve) => setTimeout(resolve, 2_000))
  await Promise.race([limit, Promise.allSettled(changing.map((each) => each.finished))])
}

declare global {
  interface Window {
    axe: typeof import('axe-core')
  }
}

type Violation = { readonly id: string; readonly targets: readonly string[] }

/** What axe calls a violation. It comes into each document once, and describes nothing else: both take longer than looking. */
async function violationsOf(page: Pick<Page, 'evaluate'> & Pick<Frame, 'evaluate'>): Promise<Violation[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  return page.evaluate(async (tags) => {
    // It waits a minute for the frame of the browser's own viewer of PDFs, which never answers and is no work of ours.
    const looked = await window.axe.run(
      { exclude: ['iframe'] },
      { runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'], iframes: false },
    )
    return looked.violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ target }) => target.join(' ')) }))
  }, TAGS)
}

/** The same of a frame of the page, which `examine` leaves out. */
export async function violationsInFrame(page: Page, path: string): Promise<readonly Violation[]> {
  const frame = page.frames().find((each) => new URL(each.url()).pathname === path)
  if (!frame) throw new Error(`The page has no frame ${path}`)
  return violationsOf(frame)
}

/** Examines one page under several names; `found` is all that is wrong with it. */
export function examiner(page: Page, label: string, prefix = '') {
  const found: string[] = []
  return { found, look: (name: string) => examine(page, `${prefix}${name}-${label}`, found) }
}

/** Examines each state of a page in several looks, once it has come to rest and without loading it again. `before` is done in each. */
export function examinerOfLooks(page: Page, { prefix = '', looks = LOOKS } = {}) {
  const found: string[] = []
  const look = async (name: string, before?: (look: Look) => Promise<void>) => {
    await loaded(page)
    const judge = async (each: Look) => {
      await before?.(each)
      await examine(page, `${prefix}${name}-${each.label}`, found)
    }
    await inEachLook(page, judge, looks)
  }
  return { found, look }
}
