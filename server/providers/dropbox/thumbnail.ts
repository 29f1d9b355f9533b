import type { Call, EntryRef } from '../driver.ts'
import { thumbnailIn } from '../shared/thumbnail.ts'
import { type DropboxClient, failureOf } from './client.ts'

const OPERATION = 'thumbnail'

/** Tags of refusals that say: there is no picture of this file. */
const NONE = ['unsupported_extension', 'unsupported_image', 'encrypted_content', 'conversion_error']

/** Driver.thumbnail. Dropbox makes pictures of photos up to 20 MB. */
export async function thumbnail(
  client: DropboxClient,
  call: Call,
  ref: EntryRef,
  side: number,
): Promise<Buffer | null> {
  const response = await client.send(call, OPERATION, {
    route: 'files/get_thumbnail_v2',
    argument: { resource: { '.tag': 'path', path: ref }, format: 'jpeg', size: sizeFor(side), mode: 'strict' },
  })
  if (response.status < 400) return thumbnailIn(response)
  const { failure, error } = await failureOf(response, OPERATION)
  if (failure.tags.some((tag) => NONE.includes(tag))) return null
  throw error
}

/** Dropbox's sizes are boxes: the first that a picture of this side fills, whether it is wide or tall. */
function sizeFor(side: number): string {
  const fitting = SIZES.find(([, height]) => height >= side) ?? LARGEST
  return `w${fitting[0]}h${fitting[1]}`
}

const LARGEST = [1024, 768] as const
const SIZES = [[64, 64], [128, 128], [256, 256], [480, 320], [640, 480], [960, 640], LARGEST] as const
