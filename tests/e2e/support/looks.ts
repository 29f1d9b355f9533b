import type { BrowserContextOptions, Page } from 'playwright-core'
import { isAsking } from './browser.ts'

type Size = { readonly width: number; readonly height: number }

export type Look = {
  readonly theme: 'light' | 'dark'
  readonly width: number
  readonly label: string
  readonly options: Pick<BrowserContextOptions, 'colorScheme' | 'viewport' | 'reducedMotion'> & {
    readonly viewport: Size
  }
}

const WIDE = { width: 1440, height: 900 }
const NARROW = { width: 390, height: 844 }

const lookOf = (theme: Look['theme'], viewport: Size): Look => ({
  theme,
  width: viewport.width,
  label: `${theme}-${viewport.width}`,
  options: { colorScheme: theme, viewport, reducedMotion: 'reduce' },
})

/** Each theme in each width. The theme changes last: some things close when the window changes. */
export const ALL_LOOKS = [WIDE, NARROW].flatMap((size) => [lookOf('light', size), lookOf('dark', size)])

/** How every screen is looked at: each theme and each width once, or with LOOKS=all each theme in each width. */
export const LOOKS = process.env.LOOKS === 'all' ? ALL_LOOKS : [lookOf('light', WIDE), lookOf('dark', NARROW)]

/** Both themes in a wide window. */
export const THEMES = [lookOf('light', WIDE), lookOf('dark', WIDE)]

/** What a page is opened with that is looked at in several looks: the first of them. */
export const FIRST_LOOK = lookOf('light', WIDE).options

/** How each page was last dressed. */
const worn = new WeakMap<Page, Look>()

/**
 * Gives a page the theme and the window of a look without loading it again, which takes longer. Dialogs and forms stay open; menus close,
 * and the details of a file are another panel.
 */
export async function wear(page: Page, look: Look): Promise<void> {
  worn.set(page, look)
  await page.emulateMedia({ colorScheme: look.theme })
  await page.setViewportSize(look.options.viewport)
  // Pages without a switch for the theme ask the system only when they are loaded.
  await page.evaluate((isDark) => document.documentElement.classList.toggle('dark', isDark), look.theme === 'dark')
  await loaded(page)
}

/** Judges one state of a page in each look. It begins with the one that the page has, which at first is FIRST_LOOK, and leaves it in the last. */
export async function inEachLook(page: Page, judge: (look: Look) => Promise<void>, looks: readonly Look[] = LOOKS) {
  const order = worn.get(page) === looks.at(-1) ? looks.toReversed() : looks
  for (const [index, look] of order.entries()) {
    if (index > 0) await wear(page, look)
    await judge(look)
  }
}

/** A page that asks for nothing and has not changed for this long has come to rest. */
const CALM_MS = 200
/** A page that waits for an answer may still change. */
const CALM_AND_ASKING_MS = 500

/** Nothing on the page is being loaded, and it has not changed for a moment. */
export async function loaded(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null)
  await page.evaluate(unchangedFor, CALM_MS)
  if (isAsking(page)) await page.evaluate(unchangedFor, CALM_AND_ASKING_MS - CALM_MS)
}

/** Runs in the page. Resolves as soon as it has not changed for so many milliseconds. */
function unchangedFor(milliseconds: number): Promise<void> {
  return new Promise<void>((resolve) => {
    const watch = new MutationObserver(() => {
      clearTimeout(timer)
      timer = setTimeout(done, milliseconds)
    })
    function done() {
      watch.disconnect()
      resolve()
    }
    let timer = setTimeout(done, milliseconds)
    watch.observe(document.body, { childList: true, subtree: true, characterData: true })
  })
}
