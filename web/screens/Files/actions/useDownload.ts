import { useCallback } from 'react'
import { useRelayEnvironment } from 'react-relay'
import type { DownloadFile } from '../../../features/Transfers/downloads.ts'
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
