import type { Page } from 'playwright-core'
import { picture } from '../../factories/pictures.ts'
import { upload } from './fileManager.ts'

/** In the format of EXIF. */
const DAYS = ['2016:11:08', '2016:10:19', '2015:06:01', '2014:01:05']

/** Uploads seven photos of each of four days, upright and wide ones, and a text. `folderId`: where to; My Drive by default. */
export async function uploadPhotos(page: Page, serverUrl: string, folderId?: string): Promise<void> {
  for (const [day, date] of DAYS.entries()) {
    for (let index = 0; index < 7; index += 1) {
      const [width, height] = index % 3 === 0 ? [900, 1_200] : [1_600, 900 + 100 * index]
      const exif = { IFD2: { DateTimeOriginal: `${date} 1${index}:00:00` } }
      const bytes = await picture(width ?? 0, height ?? 0)
        .jpeg()
        .withExif(exif)
        .toBuffer()
      await upload(page, serverUrl, { name: `Photo ${day}-${index}.jpg`, type: 'image/jpeg', bytes }, folderId)
    }
  }
  await upload(page, serverUrl, { name: 'Notes.txt', type: 'text/plain', bytes: Buffer.from('North wall') }, folderId)
}
