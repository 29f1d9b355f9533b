import { useMemo } from 'react'
import { useRelayEnvironment } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import { tell, tellFailures } from '../../../features/FileChanges/tell.ts'
import { announce } from '../../../lib/announce.ts'
import { nameText } from '../../../lib/nameText.ts'
import { reasonOf, runForAll } from '../../../relay/runMutation.ts'
import { toast } from '../../../ui/toast.ts'
import type { FileListStore } from '../list/fileListStore.ts'
import { keptLists } from '../list/listCache.ts'
import { things } from '../messages.ts'
import { UndoStack } from './undoStack.ts'

const mutations = () => import('./mutations.ts')

/** One stack for the whole visit: Ctrl+Z also works after navigating to another folder. */
const undoStack = new UndoStack()

export type FileActions = ReturnType<typeof createFileActions>

/**
 * What can be done with the rows of a list: shown optimistically, reverted when it fails, with an Undo when it
 * succeeds.
 */
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

  /** Runs `act` on rows that leave the list; rows that fail are shown again and reported. */
  const leave = async (ids: readonly string[], verb: string, act: (ids: readonly string[]) => Promise<unknown>) => {
    const nameById = new Map(ids.map((id) => [id, nameOf(id)]))
    model.hide(ids)
    const { done, failures } = await runForAll(ids, act)
    model.show(failures.flatMap((failure) => failure.ids))
    model.remove(done)
    tellFailures(`Could not ${verb}`, failures, (id) => nameById.get(id) ?? 'a file')
    return { done, names: things(done.map((id) => nameById.get(id) ?? 'a file')) }
  }

  const offerUndo = (title: string, undo: () => Promise<void>) => {
    announce(title)
    const step = undoStack.push(() => {
      toast.dismiss(shown)
      void undo()
    })
    const shown = toast.undo(title, step)
  }

  /** Runs the reverse of an action: a failure is shown, and the list is fetched again either way. */
  const reverse = async (ids: readonly string[], verb: string, act: (ids: readonly string[]) => Promise<unknown>) => {
    const { done, failures } = await runForAll(ids, act)
    tellFailures(`Could not ${verb}`, failures, nameOf)
    model.show(ids)
    list.refresh()
    if (done.length > 0) announce('Undone')
  }

  const late = async () => (await import('./lateActions.ts')).createLateActions(environment, list, nameOf)

  const actions = {
    /** `target` null is the root of My Drive. */
    copy: async (
      ids: readonly string[],
      target: { readonly id: string | null },
      groupCloudId: string | null = null,
    ): Promise<void> => (await late()).copy(ids, target, groupCloudId),

    /** Each next to its original. */
    duplicate: async (ids: readonly string[]): Promise<void> => (await late()).duplicate(ids),

    async trash(ids: readonly string[]) {
      const { done, names } = await leave(ids, 'move to Trash', async (part) =>
        (await mutations()).trashFiles(environment, part),
      )
      if (done.length === 0) return
      offerUndo(`${names} moved to Trash`, () =>
        reverse(done, 'restore', async (part) => (await mutations()).restoreFiles(environment, part)),
      )
    },

    async restore(ids: readonly string[]) {
      const { done, names } = await leave(ids, 'restore', async (part) =>
        (await mutations()).restoreFiles(environment, part),
      )
      if (done.length === 0) return
      offerUndo(`${names} restored`, () =>
        reverse(done, 'move to Trash again', async (part) => (await mutations()).trashFiles(environment, part)),
      )
    },

    async deleteForever(ids: readonly string[]) {
      const { done, names } = await leave(ids, 'delete', async (part) =>
        (await mutations()).deleteFiles(environment, part),
      )
      if (done.length > 0) tell(`${names} deleted permanently`)
    },

    emptyTrash: async (): Promise<void> => (await late()).emptyTrash(),

    /** `target` null is the root of My Drive. */
    async move(
      ids: readonly string[],
      target: { readonly id: string | null; readonly name: string },
      groupCloudId: string | null = null,
    ) {
      const known = mutations().then(({ originsOf }) => originsOf(environment, list, ids))
      const origins = await known.catch((error: unknown) => {
        toast.error(`Could not move ${things(namesOf(ids))}`, { description: reasonOf(error) })
        return null
      })
      if (!origins) return
      const inBackground: string[] = []
      const act = async (part: readonly string[]) => {
        const { failures, isJob } = await (await mutations()).moveFiles(environment, part, target.id, groupCloudId)
        if (isJob) inBackground.push(...part)
        return failures
      }
      const isLeaving = key.view === 'DRIVE' && !key.query && target.id !== key.folder
      const { done, names } = isLeaving ? await leave(ids, 'move', act) : await stay(ids, 'move', act)
      if (inBackground.length > 0) {
        model.show(inBackground)
        list.refresh()
        announce(`Moving ${names} to ${nameText(target.name)} in the background`)
        return
      }
      if (done.length === 0) return
      offerUndo(`${names} moved to ${nameText(target.name)}`, () => moveBack(done, origins))
    },

    async moveToGroupCloud(ids: readonly string[], target: { readonly id: string; readonly name: string }) {
      const act = async (part: readonly string[]) => (await mutations()).moveToGroupCloud(environment, part, target.id)
      const { done, names } = await stay(ids, 'move', act)
      if (done.length > 0) tell(`${names} ${done.length === 1 ? 'goes' : 'go'} to ${nameText(target.name)}`)
    },

    async star(ids: readonly string[], starred: boolean) {
      const act = async (part: readonly string[]) => (await mutations()).starFiles(environment, part, starred)
      const isLeaving = key.view === 'STARRED' && !starred
      const verb = starred ? 'add the star' : 'remove the star'
      const { done, names } = isLeaving ? await leave(ids, verb, act) : await stay(ids, verb, act)
      if (done.length === 0) return
      const title = starred ? `${names} added to Starred` : `${names} removed from Starred`
      offerUndo(title, () =>
        reverse(done, 'undo the star', async (part) => (await mutations()).starFiles(environment, part, !starred)),
      )
    },

    /** @throws MutationRefused, Error: the field that asked shows it and keeps what was typed */
    async rename(id: string, name: string) {
      const before = model.get(id)?.name
      await (await mutations()).renameFile(environment, id, name)
      list.refresh()
      if (before === undefined) return
      offerUndo(`Renamed to “${nameText(name)}”`, () =>
        reverse([id], 'undo the rename', async () => (await mutations()).renameFile(environment, id, before)),
      )
    },

    async undo() {
      if (!(await undoStack.undo())) toast.info('Nothing to undo')
    },
  }

  async function stay(ids: readonly string[], verb: string, act: (ids: readonly string[]) => Promise<unknown>) {
    const { done, failures } = await runForAll(ids, act)
    tellFailures(`Could not ${verb}`, failures, nameOf)
    list.refresh()
    return { done, names: things(namesOf(done)) }
  }

  async function moveBack(ids: readonly string[], origins: ReadonlyMap<string, string | null>) {
    for (const parent of new Set(origins.values())) {
      const part = ids.filter((id) => origins.get(id) === parent)
      if (part.length > 0)
        await reverse(part, 'move back', async (some) => {
          return (await (await mutations()).moveFiles(environment, some, parent)).failures
        })
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
