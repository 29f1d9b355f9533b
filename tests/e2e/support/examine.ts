import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { screenshot } from './browser.ts'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Looks at the page as it stands: axe (WCAG 2.2 AA), and that nothing is wider than the window. */
export async function examine(page: Page, name: string, found: string[]): Promise<void> {
  // A dialog is there before it is to be seen.
  await page.waitForFunction(() => !document.querySelector('[role$=dialog] [data-transition]'))
  await screenshot(page, name)
  const { violations } = await new AxeBuilder({ page }).withTags(TAGS).analyze()
  for (const { id, nodes } of violations)
    found.push(`${name}: ${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`)
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  if (overflow > 0) found.push(`${name}: ${overflow} px wider than the window`)
}
