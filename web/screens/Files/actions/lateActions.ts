import type { IEnvironment } from 'relay-runtime'
import { tell } from '../../../features/FileChanges/tell.ts'
import { announce } from '../../../lib/announce.ts'
import { MutationRefused, reasonOf } from '../../../relay/runMutation.ts'
import { toast } from '../../../ui/toast.ts'
import type { FileListStore } from '../list/fileListStore.ts'
import { items, things } from '../messages.ts'

const mutations = () => import('./mutations.ts')

/** Actions whose code is loaded when they are used. `nameOf` names rows, also of other lists. Import it lazily. */
export function createLateActions(environment: IEnvironment, list: FileListStore, nameOf: (id: string) => string) {
  /** By the folder they go into; a toast is shown while bytes are copied. One request each: trying again in smaller parts would copy twice what was done. */
  async function copy(
    ids: readonly string[],
    foldersOf: () => Promise<ReadonlyMap<string, string | null>>,
    groupCloudId: string | null = null,
  ) {
    const what = things(ids.map(nameOf))
    const title = `Copying ${what}…`
    announce(title)
    const id = toast.info(title, { duration: Number.POSITIVE_INFINITY })
    try {
      const folders = await foldersOf()
      let isJob = false
      for (const folder of new Set(folders.values())) {
        const part = ids.filter((one) => folders.get(one) === folder)
        if (part.length > 0)
          isJob = (await (await mutations()).copyFiles(environment, part, folder, groupCloudId)) || isJob
      }
      // The end of a job is said by JobsWatch.
      if (isJob) toast.dismiss(id)
      else {
        announce(`Copied ${what}`)
        toast.success(`Copied ${what}`, { id })
      }
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
    copy: (ids: readonly string[], target: { readonly id: string | null }, groupCloudId: string | null = null) =>
      copy(ids, async () => new Map(ids.map((id) => [id, target.id])), groupCloudId),

    /** Each next to its original. */
    duplicate: (ids: readonly string[]) => copy(ids, async () => (await mutations()).originsOf(environment, list, ids)),

    async emptyTrash() {
      try {
        const count = await (await mutations()).emptyTrash(environment)
        list.refresh()
        tell(count > 0 ? `Trash emptied, ${items(count)} deleted` : 'Trash emptied')
      } catch (error) {
        toast.error('Could not empty the trash', { description: reasonOf(error) })
      }
    },
  }
}

function whyNot(error: unknown): string {
  if (error instanceof MutationRefused) return error.message
  return 'The connection to the server was lost. Copying may continue; finished copies appear in the list.'
}
