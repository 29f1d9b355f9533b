import { useMemo } from 'react'
import { useRelayEnvironment } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import { announce } from '../../lib/announce.ts'
import { nameText } from '../../lib/nameText.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { toast } from '../../ui/toast.ts'
import { createCopyActions } from './copyActions.ts'
import { deleteFiles } from './deleteFiles.ts'
import { emptyTrash } from './emptyTrash.ts'
import type { FileListStore } from './fileListStore.ts'
import { originsOf } from './fileParents.ts'
import { keptLists } from './listCache.ts'
import { moveFiles } from './moveFiles.ts'
import { moveToGroupCloud } from './moveToGroupCloud.ts'
import { renameFile } from './renameFile.ts'
import { restoreFiles } from './restoreFiles.ts'
import { runForAll } from './runForAll.ts'
import { starFiles } from './starFiles.ts'
import { tell, tellFailures } from './tell.ts'
import { trashFiles } from './trashFiles.ts'
import { UndoStack } from './undoStack.ts'
import { items, things } from './words.ts'

/** One stack for the whole visit: Ctrl+Z works after going to another folder, too. */
const undoStack = new UndoStack()

export type FileActions = ReturnType<typeof createFileActions>

/** What can be done with the rows of a list: shown at once, taken back when it fails, with an Undo when it worked. */
export function useFileActions(list: FileListStore): FileActions {
  const environment = useRelayEnvironment()
  return useMemo(() => createFileActions(environment, list), [environment, list])
}

export function createFileActions(environment: IEnvironment, list: FileListStore) {
  const { model, key } = list
  /** Rows that were cut in another folder are known to that folder's list. */
  const nameOf = (id: string) => {
    for (const known of [list, ...keptLists(environment)]) {
      const name = known.model.get(id)?.name
      if (name !== undefined) return name
    }
    return 'a file'
  }
  const namesOf = (ids: readonly string[]) => ids.map(nameOf)

  /** Runs `act` on rows that leave the list; what fails comes back and is named. */
  const leave = async (ids: readonly string[], verb: string, act: (ids: readonly string[]) => Promise<unknown>) => {
    const names = new Map(ids.map((id) => [id, nameOf(id)]))
    model.hide(ids)
    const { done, failures } = await runForAll(ids, act)
    model.show(failures.flatMap((failure) => failure.ids))
    model.remove(done)
    tellFailures(`Could not ${verb}`, failures, (id) => names.get(id) ?? 'a file')
    return { done, words: things(done.map((id) => names.get(id) ?? 'a file')) }
  }

  const offerUndo = (title: string, undo: () => Promise<void>) => {
    announce(title)
    const step = undoStack.push(() => {
      toast.dismiss(shown)
      void undo()
    })
    const shown = toast.undo(title, step)
  }

  /** The reverse of something: its failure is told, and the list is read again either way. */
  const reverse = async (ids: readonly string[], verb: string, act: (ids: readonly string[]) => Promise<unknown>) => {
    const { done, failures } = await runForAll(ids, act)
    tellFailures(`Could not ${verb}`, failures, nameOf)
    model.show(ids)
    list.refresh()
    if (done.length > 0) announce('Undone')
  }

  const actions = {
    ...createCopyActions(environment, list, nameOf),

    async trash(ids: readonly string[]) {
      const { done, words } = await leave(ids, 'move to Trash', (part) => trashFiles(environment, part))
      if (done.length === 0) return
      offerUndo(`${words} moved to Trash`, () => reverse(done, 'bring back', (part) => restoreFiles(environment, part)))
    },

    async restore(ids: readonly string[]) {
      const { done, words } = await leave(ids, 'restore', (part) => restoreFiles(environment, part))
      if (done.length === 0) return
      offerUndo(`${words} restored`, () =>
        reverse(done, 'move to Trash again', (part) => trashFiles(environment, part)),
      )
    },

    async deleteForever(ids: readonly string[]) {
      const { done, words } = await leave(ids, 'delete', (part) => deleteFiles(environment, part))
      if (done.length > 0) tell(`${words} deleted permanently`)
    },

    async emptyTrash() {
      try {
        const count = await emptyTrash(environment)
        list.refresh()
        tell(`Trash emptied, ${items(count)} deleted`)
      } catch (error) {
        toast.error('Could not empty the trash', { description: reasonOf(error) })
      }
    },

    /** `target` null is the root of My Drive. */
    async move(ids: readonly string[], target: { readonly id: string | null; readonly name: string }) {
      const origins = await originsOf(environment, list, ids).catch((error: unknown) => {
        toast.error(`Could not move ${things(namesOf(ids))}`, { description: reasonOf(error) })
        return null
      })
      if (!origins) return
      const act = (part: readonly string[]) => moveFiles(environment, part, target.id)
      const isLeaving = key.view === 'DRIVE' && !key.query && target.id !== key.folder
      const { done, words } = isLeaving ? await leave(ids, 'move', act) : await stay(ids, 'move', act)
      if (done.length === 0) return
      offerUndo(`${words} moved to ${nameText(target.name)}`, () => moveBack(done, origins))
    },

    async moveToGroupCloud(ids: readonly string[], target: { readonly id: string; readonly name: string }) {
      const act = (part: readonly string[]) => moveToGroupCloud(environment, part, target.id)
      const { done, words } = await stay(ids, 'move', act)
      if (done.length > 0) tell(`${words} ${done.length === 1 ? 'goes' : 'go'} to ${nameText(target.name)}`)
    },

    async star(ids: readonly string[], starred: boolean) {
      const act = (part: readonly string[]) => starFiles(environment, part, starred)
      const isLeaving = key.view === 'STARRED' && !starred
      const verb = starred ? 'add the star' : 'remove the star'
      const { done, words } = isLeaving ? await leave(ids, verb, act) : await stay(ids, verb, act)
      if (done.length === 0) return
      const title = starred ? `${words} added to Starred` : `${words} removed from Starred`
      offerUndo(title, () => reverse(done, 'change the star back', (part) => starFiles(environment, part, !starred)))
    },

    /** @throws MutationRefused, Error: the field that asked shows it and keeps what was typed */
    async rename(id: string, name: string) {
      const before = model.get(id)?.name
      await renameFile(environment, id, name)
      list.refresh()
      if (before === undefined) return
      offerUndo(`Renamed to “${nameText(name)}”`, () =>
        reverse([id], 'change the name back', () => renameFile(environment, id, before)),
      )
    },

    async undo() {
      if (!(await undoStack.undo())) toast.info('There is nothing to undo')
    },
  }

  async function stay(ids: readonly string[], verb: string, act: (ids: readonly string[]) => Promise<unknown>) {
    const { done, failures } = await runForAll(ids, act)
    tellFailures(`Could not ${verb}`, failures, nameOf)
    list.refresh()
    return { done, words: things(namesOf(done)) }
  }

  async function moveBack(ids: readonly string[], origins: ReadonlyMap<string, string | null>) {
    for (const parent of new Set(origins.values())) {
      const part = ids.filter((id) => origins.get(id) === parent)
      if (part.length > 0) await reverse(part, 'move back', (some) => moveFiles(environment, some, parent))
    }
  }

  const { trash, restore, move, star, rename } = actions
  return {
    ...actions,
    offerUndo,
    trash: tracked(trash),
    restore: tracked(restore),
    move: tracked(move),
    star: tracked(star),
    rename: tracked(rename),
  }
}

const tracked =
  <Args extends unknown[], Result>(act: (...args: Args) => Promise<Result>) =>
  (...args: Args) =>
    undoStack.track(act(...args))
