import { useCallback } from 'react'
import { useRelayEnvironment } from 'react-relay'
import { useTransfers } from '../../../features/Transfers/transfersContext.ts'
import type { FileListStore } from '../list/fileListStore.ts'
import type { FileListRow } from '../list/filesPage.ts'

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
        } else window.location.assign(archiveUrl([row.id]))
      }
      const row = ids.length === 1 ? list.model.get(ids[0] ?? '') : undefined
      if (row?.nativeKind === 'SHORTCUT') {
        void import('./shortcuts.ts').then((module) => module.followShortcut(environment, row.id, save))
      } else if (row) save(row, wanted)
      else if (ids.length > 0) window.location.assign(archiveUrl(ids))
    },
    [list, download, environment],
  )
}

/** Several entries, or a folder, as one ZIP; the browser fetches it. */
export function archiveUrl(ids: readonly string[]): string {
  return `/api/v1/files/archive?ids=${ids.map(encodeURIComponent).join(',')}`
}
