import type { Call, EntryRef } from '../driver.ts'
import { thumbnailIn } from '../shared/thumbnail.ts'
import { errorOf, type GraphClient, itemUrl } from './client.ts'

const OPERATION = 'thumbnail'

type Sets = { readonly value?: readonly Readonly<Record<string, { readonly url?: string }>>[] }

/** Driver.thumbnail. Graph names an address for each size, which is the credential and valid for a while; for other files it names none. */
export async function thumbnail(client: GraphClient, call: Call, ref: EntryRef, side: number): Promise<Buffer | null> {
  // Fits in a square of this size.
  const size = `c${side}x${side}`
  const { value } = await client.ask<Sets>(call, OPERATION, { url: `${itemUrl(ref)}/thumbnails?$select=${size}` })
  const url = value?.[0]?.[size]?.url
  if (!url || !URL.canParse(url)) return null
  const response = await client.send(call, OPERATION, { method: 'GET', url, authorized: false, keepRedirects: true })
  if (response.status !== 429 && response.status < 500) return thumbnailIn(response)
  throw await errorOf(response, OPERATION)
}
