import { constants, fsync } from 'node:fs'
import { promisify } from 'node:util'
import { openDescriptor } from './fileReader.ts'

const syncDescriptor = promisify(fsync)

/**
 * Makes the names in a folder durable, as often as it is called. The folder stays open as long as the process lives: opening
 * and closing it for each batch of small uploads would cost two of the three calls.
 */
export function createFolderSync(path: string): () => Promise<void> {
  let descriptor: Promise<number> | null = null

  return async () => {
    descriptor ??= openDescriptor(path, constants.O_RDONLY)
    const opened = await descriptor.catch((error: unknown) => {
      descriptor = null
      throw error
    })
    await syncDescriptor(opened)
  }
}
