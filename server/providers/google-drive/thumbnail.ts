import type { Call, EntryRef } from '../driver.ts'
import { thumbnailIn } from '../shared/thumbnail.ts'
import { type DriveClient, failureOf } from './client.ts'
import { ALL_DRIVES } from './files.ts'

const OPERATION = 'thumbnail'

/** Driver.thumbnail. Drive names an address, which changes after hours, for each file that it has made a picture of. */
export async function thumbnail(client: DriveClient, call: Call, ref: EntryRef, side: number): Promise<Buffer | null> {
  const { thumbnailLink } = await client.ask(call, OPERATION, (api, options) =>
    api.files.get({ fileId: ref, fields: 'thumbnailLink', ...ALL_DRIVES }, options),
  )
  const url = addressOf(thumbnailLink, side)
  if (url === null) return null
  // Pictures of files that are not public are sent to the account alone.
  const response = await client.send(call, OPERATION, { method: 'GET', url, keepRedirects: true })
  if (response.status !== 429 && response.status < 500) return thumbnailIn(response)
  throw (await failureOf(response, OPERATION)).error
}

/** Hosts of Google that send pictures: no other one gets the access token. */
const HOSTS = /^(?:[a-z0-9-]+\.)*(?:googleusercontent|google)\.com$/

/** In another size; null without an address of Google. */
function addressOf(link: string | null | undefined, side: number): string | null {
  if (!link || !URL.canParse(link)) return null
  const { protocol, hostname } = new URL(link)
  if (protocol !== 'https:' || !HOSTS.test(hostname)) return null
  return link.replace(/=s\d+$/, `=s${side}`)
}
