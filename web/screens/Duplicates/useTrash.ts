import { useRelayEnvironment } from 'react-relay'
import { tellFailures } from '../../features/FileChanges/tell.ts'
import { restoreFiles, trashFiles } from '../../features/FileChanges/trashFiles.ts'
import { announce } from '../../lib/announce.ts'
import { runForAll } from '../../relay/runMutation.ts'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'

type Named = { readonly id: string; readonly name: string }

/** Moves files to the trash, with Undo. `refresh`: called after each change. */
export function useTrash(refresh: () => void): (files: readonly Named[]) => Promise<void> {
  const environment = useRelayEnvironment()
  return async (files) => {
    const names = new Map(files.map(({ id, name }) => [id, name]))
    const nameOf = (id: string) => names.get(id) ?? 'a file'
    const { done, failures } = await runForAll([...names.keys()], (part) => trashFiles(environment, part))
    refresh()
    tellFailures(messages.couldNotTrash, failures, nameOf)
    if (done.length === 0) return
    announce(messages.moved(done.length))
    toast.undo(messages.moved(done.length), async () => {
      const back = await runForAll(done, (part) => restoreFiles(environment, part))
      refresh()
      tellFailures(messages.couldNotRestore, back.failures, nameOf)
      if (back.done.length > 0) announce(messages.restored)
    })
  }
}
