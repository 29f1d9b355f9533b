import type { IEnvironment } from 'relay-runtime'
import { tell, tellFailures } from '../../../features/FileChanges/tell.ts'
import { announce } from '../../../lib/announce.ts'
import { reasonOf } from '../../../relay/runMutation.ts'
import { toast } from '../../../ui/toast.ts'
import type { FileListStore } from '../list/fileListStore.ts'
import { selectionOf } from '../list/filesPage.ts'
import { items } from '../messages.ts'
import { type AllSelection, isWhole, type Selection } from '../selection/selection.ts'
import type { ChangedFiles, FilesChange } from './changeFiles.ts'
import { isAnyInPlace } from './rights.ts'
import type { FileActions } from './useFileActions.ts'

const mutations = () => import('./mutations.ts')

/** As many files as one copy takes. */
const MOST_COPIED = 1_000

export type AllWorld = {
  readonly environment: IEnvironment
  readonly list: FileListStore
  readonly actions: FileActions
  readonly selection: Selection
  /** Clears the selection. */
  readonly clear: () => void
}

/**
 * The actions of a list while everything in it is selected: what is meant by the rows that are loaded is all that the
 * server has counted, without what came after. Actions on other rows are unchanged. Import it lazily.
 */
export function createAllActions({ environment, list, actions, selection, clear }: AllWorld): FileActions {
  const { all } = selection
  if (all === null) return actions
  const { model, key } = list

  /** Runs the action for everything; rows that leave the list are hidden meanwhile. */
  async function change(
    what: Omit<FilesChange, 'selection'>,
    verb: string,
    isLeaving: boolean,
  ): Promise<ChangedFiles | null> {
    const shown = isLeaving ? [...selection.ids] : []
    model.hide(shown)
    clear()
    try {
      const { asOf, count } = await (all as AllSelection).summary
      const exceptIds = [...(all as AllSelection).except]
      const done = await (await mutations()).changeFiles(environment, {
        ...what,
        selection: { ...selectionOf(key), asOf, exceptIds },
      })
      tellFailures(`Could not ${verb}`, done.failures, (id) => done.names.get(id) ?? 'a file')
      // What an attempt whose answer was lost has changed is not in the answer to the next one.
      const failed = done.failures.flatMap(({ ids }) => ids).length
      const changed = done.count > 0 ? done.count : count - exceptIds.length - failed
      return changed > 0 ? { ...done, count: changed } : null
    } catch (error) {
      announce(`Could not ${verb} everything`)
      toast.error(`Could not ${verb} everything`, { description: reasonOf(error) })
      return null
    } finally {
      model.show(shown)
      list.refresh()
    }
  }

  const guard =
    <Rest extends unknown[], Result>(
      whole: (...rest: Rest) => Promise<Result>,
      some: (ids: readonly string[], ...rest: Rest) => Promise<Result>,
    ) =>
    (ids: readonly string[], ...rest: Rest): Promise<Result> =>
      isWhole(selection, ids) ? whole(...rest) : some(ids, ...rest)

  /** Copies are made during the request, and moves out of accounts name their entries, so there is a limit. */
  async function loaded(verb = 'copied'): Promise<string[] | null> {
    const { count } = await (all as AllSelection).summary
    if (count > MOST_COPIED) {
      const title = `At most ${MOST_COPIED.toLocaleString()} files can be ${verb} at once`
      toast.error(title, { description: 'Select fewer files, or choose their folder.' })
      return null
    }
    await list.loadAll(MOST_COPIED)
    return model.idsBetween(0, model.count - 1).filter((id) => !(all as AllSelection).except.has(id))
  }

  return {
    ...actions,
    trash: guard(async () => {
      const done = await change({ action: 'TRASH' }, 'move to Trash', true)
      if (!done) return
      const { from, until } = done
      actions.offerUndo(`${items(done.count)} moved to Trash`, async () => {
        const selection = { view: 'TRASH' as const, trashedFrom: from, trashedUntil: until }
        try {
          await (await mutations()).changeFiles(environment, { action: 'RESTORE', selection })
          announce('Undone')
        } catch (error) {
          toast.error('Could not restore everything', { description: reasonOf(error) })
        }
        list.refresh()
      })
    }, actions.trash),
    restore: guard(async () => {
      const done = await change({ action: 'RESTORE' }, 'restore', true)
      if (done) tell(`${items(done.count)} restored`)
    }, actions.restore),
    deleteForever: guard(async () => {
      const done = await change({ action: 'DELETE' }, 'delete', true)
      if (done) tell(`${items(done.count)} deleted permanently`)
    }, actions.deleteForever),
    move: guard(async (target: { readonly id: string | null; readonly name: string }, groupCloudId?: string | null) => {
      if (isAnyInPlace(model.idsBetween(0, model.count - 1).map((id) => model.get(id)))) {
        const ids = await loaded('moved')
        if (ids) await actions.move(ids, target, groupCloudId)
        return
      }
      const isLeaving = key.view === 'DRIVE' && !key.query && target.id !== key.folder
      const done = await change({ action: 'MOVE', parentId: target.id }, 'move', isLeaving)
      if (done) tell(`${items(done.count)} moved to ${target.name}`)
    }, actions.move),
    moveToGroupCloud: guard(async (target: { readonly id: string; readonly name: string }) => {
      const done = await change({ action: 'MOVE_TO_GROUP_CLOUD', groupCloudId: target.id }, 'move', false)
      if (done) tell(`${items(done.count)} ${done.count === 1 ? 'goes' : 'go'} to ${target.name}`)
    }, actions.moveToGroupCloud),
    star: guard(async (starred: boolean) => {
      const verb = starred ? 'add the star' : 'remove the star'
      const done = await change({ action: starred ? 'STAR' : 'UNSTAR' }, verb, key.view === 'STARRED' && !starred)
      if (done) tell(`${items(done.count)} ${starred ? 'added to' : 'removed from'} Starred`)
    }, actions.star),
    copy: guard(async (target: { readonly id: string | null }, groupCloudId?: string | null) => {
      const ids = await loaded()
      if (ids) await actions.copy(ids, target, groupCloudId)
    }, actions.copy),
    duplicate: guard(async () => {
      const ids = await loaded()
      if (ids) await actions.duplicate(ids)
    }, actions.duplicate),
  }
}
