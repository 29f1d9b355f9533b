import type { IEnvironment } from 'relay-runtime'
import { announce } from '../../../lib/announce.ts'
import { MutationRefused } from '../../../relay/runMutation.ts'
import { toast } from '../../../ui/toast.ts'
import type { FileListStore } from '../list/fileListStore.ts'
import { things } from '../messages.ts'
import { copyFiles } from './copyFiles.ts'
import { originsOf } from './fileParents.ts'

/** Copying takes as long as its bytes need: a toast is shown meanwhile. `nameOf` names rows, also of other lists. */
export function createCopyActions(environment: IEnvironment, list: FileListStore, nameOf: (id: string) => string) {
  /** By the folder they go into. One request each: trying again in smaller parts would copy twice what was done. */
  async function copy(ids: readonly string[], foldersOf: () => Promise<ReadonlyMap<string, string | null>>) {
    const what = things(ids.map(nameOf))
    const title = `Copying ${what}…`
    announce(title)
    const id = toast.info(title, { duration: Number.POSITIVE_INFINITY })
    try {
      const folders = await foldersOf()
      for (const folder of new Set(folders.values())) {
        const part = ids.filter((one) => folders.get(one) === folder)
        if (part.length > 0) await copyFiles(environment, part, folder)
      }
      announce(`Copied ${what}`)
      toast.success(`Copied ${what}`, { id })
    } catch (error) {
      const description = whyNot(error)
      announce(`Could not copy ${what}. ${description}`)
      toast.error(`Could not copy ${what}`, { id, description })
    } finally {
      list.refresh()
    }
  }

  return {
    /** `target` null is the root of My Drive. */
    copy: (ids: readonly string[], target: { readonly id: string | null }) =>
      copy(ids, async () => new Map(ids.map((id) => [id, target.id]))),

    /** Each next to its original. */
    duplicate: (ids: readonly string[]) => copy(ids, () => originsOf(environment, list, ids)),
  }
}

function whyNot(error: unknown): string {
  if (error instanceof MutationRefused) return error.message
  return 'The connection to the server was lost. Copying may continue; finished copies appear in the list.'
}
