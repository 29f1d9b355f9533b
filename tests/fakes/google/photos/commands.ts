import { userOf } from '../filesCommands.ts'
import type { Google } from '../google.ts'
import { addItem, albumsOf, itemsOf } from './library.ts'

type ByUser = { readonly user: string }

/** What people do in Google Photos, and what tests may ask. */
export function photosCommands(google: Google) {
  const { photos } = google
  return {
    /** A photo that no app has added: none sees it. */
    async addPhoto({ user, name, base64 }: ByUser & { name: string; base64: string }) {
      const blob = photos.blobs.create()
      await blob.append(Buffer.from(base64, 'base64'))
      const facts = { blob, fileName: name, mimeType: 'image/jpeg', createdBy: null }
      return { id: (await addItem(photos, userOf(google, user), facts)).id }
    },
    photos: ({ user }: ByUser) =>
      [...itemsOf(photos, userOf(google, user)).values()].map(({ id, fileName, original, stored }) => {
        const albums = [...albumsOf(photos, userOf(google, user)).values()].filter(({ items }) => items.includes(id))
        return {
          id,
          name: fileName,
          sent: original.size,
          stored: stored.size,
          albums: albums.map(({ title }) => title),
        }
      }),
    /** A person deletes it in Google Photos. */
    deletePhoto: ({ user, id }: ByUser & { id: string }) => ({
      deleted: itemsOf(photos, userOf(google, user)).delete(id),
    }),
    /** Takes every content for a photo, and returns it as it is. */
    takeAll({ on }: { on: boolean }) {
      photos.takesAll = on
    },
  }
}
