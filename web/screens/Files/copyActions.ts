import type { IEnvironment } from 'relay-runtime'
import { announce } from '../../lib/announce.ts'
import { MutationRefused } from '../../relay/runMutation.ts'
import { toast } from '../../ui/toast.ts'
import { copyFiles } from './copyFiles.ts'
import type { FileListStore } from './fileListStore.ts'
import { originsOf } from './fileParents.ts'
import { things } from './words.ts'

/** Copying takes as long as its bytes: a toast stands while it does. `nameOf` names rows, also of other lists. */
export function createCopyActions(environment: IEnvironment, list: FileListStore, nameOf: (id: string) => string) {
  /** By the folder they go into. One request each: trying again in smaller parts would copy twice what was done. */
  async function copy(ids: readonly string[], foldersOf: () => Promise<ReadonlyMap<string, string | null>>) {
    const words = things(ids.map(nameOf))
    const title = `Copying ${words}…`
    announce(title)
    const id = toast.info(title, { duration: Number.POSITIVE_INFINITY })
    try {
      const folders = await foldersOf()
      for (const folder of new Set(folders.values())) {
        const part = ids.filter((one) => folders.get(one) === folder)
        if (part.length > 0) await copyFiles(environment, part, folder)
      }
      announce(`Copied ${words}`)
      toast.success(`Copied ${words}`, { id })
    } catch (error) {
      const description = whyNot(error)
      announce(`Could not copy ${words}. ${description}`)
      toast.error(`Could not copy ${words}`, { id, description })
    } finally {
      list.refresh()
    }
  }

  return {
    /** `target` null is the root of My Drive. */
    copy: (ids: readonly string[], target: { readonly id: string | null }) =>
      copy(ids, async () => new Map(ids.map((id) => [id, target.id]))),

    /** Each beside its original. */
    duplicate: (ids: readonly string[]) => copy(ids, () => originsOf(environment, list, ids)),
  }
}

function whyNot(error: unknown): string {
  if (error instanceof MutationRefused) return error.message
  return 'The connection to the server broke. It may still be copying: what is done appears in the list.'
}
