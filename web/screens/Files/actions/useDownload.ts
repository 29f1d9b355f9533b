import { useCallback } from 'react'
import { useRelayEnvironment } from 'react-relay'
import type { DownloadFile } from '../../../features/Transfers/downloads.ts'
import { type Transfers, useTransfers } from '../../../features/Transfers/transfersContext.ts'
import { reasonOf } from '../../../relay/runMutation.ts'
import { toast } from '../../../ui/toast.ts'
import type { OpenFolder } from '../FilesContext.ts'
import type { FileListStore } from '../list/fileListStore.ts'
import type { FileListRow } from '../list/filesPage.ts'
import { isWhole, type Selection } from '../selection/selection.ts'
import { hasFilters } from '../urlState.ts'

/** Ids that fit into one address. */
const MOST_DOWNLOADED = 200

type Download = (ids: readonly string[], type?: string) => void
type Row = Pick<FileListRow, 'id' | 'name' | 'kind' | 'size' | 'downloadUrl' | 'exportTypes'>

/** A single file as it is, a native document in a format, what a shortcut points to; a folder, or several things, as one ZIP. */
export function useDownload(list: FileListStore): Download {
  const { download } = useTransfers()
  const environment = useRelayEnvironment()
  return useCallback(
    (ids, wanted) => {
      const save = (row: Row, type: string | undefined = row.exportTypes[0]) => {
        if (type) {
          void import('../../../lib/exportedFile.ts').then((module) => download(module.exportedFile(row, type)))
        } else if (row.kind === 'FILE') {
          download({ id: row.id, name: row.name, size: row.size ?? 0, downloadUrl: row.downloadUrl })
        } else download(archiveOf([row.id], row.name))
      }
      const row = ids.length === 1 ? list.model.get(ids[0] ?? '') : undefined
      if (row?.nativeKind === 'SHORTCUT') {
        void import('./shortcuts.ts').then((module) => module.followShortcut(environment, row.id, save))
      } else if (row) save(row, wanted)
      else if (ids.length > 0) download(archiveOf(ids))
    },
    [list, download, environment],
  )
}

/** Several entries, or the folder of this name, as one ZIP. */
export function archiveOf(ids: readonly string[], name = 'Skypool'): DownloadFile {
  const downloadUrl = `/api/v1/files/archive?ids=${ids.map(encodeURIComponent).join(',')}`
  return { id: ids.join(), name: `${name}.zip`, size: 0, downloadUrl, mimeType: 'application/zip', kind: 'FOLDER' }
}

type Downloading = {
  readonly selection: Selection
  readonly list: Pick<FileListStore, 'key' | 'loadAll' | 'failure'> & {
    readonly model: Pick<FileListStore['model'], 'count' | 'hasNext' | 'idsBetween'>
  }
  readonly folder: OpenFolder | null
  readonly download: (ids: readonly string[]) => void
  readonly downloadFile: Transfers['download']
}

/**
 * Everything in a folder is that folder as one ZIP. Where there is no folder, everything is loaded first; what is too long for an address
 * is refused.
 */
export async function downloadSelected(
  ids: readonly string[],
  { selection, list, folder, download, downloadFile }: Downloading,
): Promise<void> {
  const { all } = selection
  if (all === null || !isWhole(selection, ids)) {
    if (ids.length > MOST_DOWNLOADED) tellTooMany()
    else download(ids)
    return
  }
  if (folder && list.key.view === 'DRIVE' && !hasFilters(list.key) && all.except.size === 0) {
    return downloadFile(archiveOf([folder.id], folder.name))
  }
  // Where it cannot be counted, nothing is selected any more, and the user knows.
  const summary = await all.summary.catch(() => null)
  if (summary === null) return
  if (summary.count - all.except.size <= MOST_DOWNLOADED) await list.loadAll(MOST_DOWNLOADED + all.except.size + 1)
  if (list.failure) return void toast.error('Could not select everything', { description: reasonOf(list.failure) })
  const { count, hasNext } = list.model
  const wanted = list.model.idsBetween(0, count - 1).filter((id) => !all.except.has(id))
  if (hasNext || wanted.length > MOST_DOWNLOADED) tellTooMany()
  else download(wanted)
}

function tellTooMany(): void {
  const description = `Select up to ${MOST_DOWNLOADED} items, or download their folder.`
  toast.error('Too many items for one download', { description })
}
