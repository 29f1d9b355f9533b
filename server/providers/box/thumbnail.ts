import type { Call, EntryRef } from '../driver.ts'
import type { ApiClient } from '../shared/apiClient.ts'
import { thumbnailIn } from '../shared/thumbnail.ts'
import { isFile, pathOf } from './entry.ts'
import { BoxError } from './errors.ts'

const OPERATION = 'thumbnail'

/** Box has pictures of 32, 160 and 320 pixels, as JPEG. */
const SIDES = [32, 160, 320] as const
const LARGEST = 320

/**
 * Driver.thumbnail. While Box still makes the picture (202), and of what it makes none (302), it names the address of an icon, which is
 * not asked for.
 */
export async function thumbnail(client: ApiClient, call: Call, ref: EntryRef, side: number): Promise<Buffer | null> {
  if (!isFile(ref)) return null
  const least = String(SIDES.find((one) => one >= side) ?? LARGEST)
  try {
    const response = await client.send(call, OPERATION, {
      method: 'GET',
      url: `${pathOf(ref, OPERATION)}/thumbnail.jpg`,
      query: { min_width: least, min_height: least },
      keepRedirects: true,
    })
    return await thumbnailIn(response)
  } catch (error) {
    // It cannot make one of this type.
    if (error instanceof BoxError && error.failure.status === 400) return null
    throw error
  }
}
