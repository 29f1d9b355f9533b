import type { Page } from 'playwright-core'

/** A toast with this title and description. */
export function toastOf(page: Page, title: string, description = '') {
  return page.locator('[data-sonner-toast]').filter({ hasText: title }).filter({ hasText: description })
}
