import type { Page } from 'playwright-core'
import { restOf } from './emulated.ts'

type Link = { readonly id: string; readonly url: string }

/** A link to a file of whoever is signed in on this page. */
export function share(page: Page, url: string, fileId: string): Promise<Link> {
  return restOf(page, url).json<Link>('POST', '/api/v1/shares', { fileId })
}
