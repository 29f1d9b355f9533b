import { useCallback } from 'react'
import { useTransfers } from '../../../features/Transfers/transfersContext.ts'
import type { FileListStore } from '../list/fileListStore.ts'

/** A single file as it is; a folder, or several things, as one ZIP. */
export function useDownload(list: FileListStore): (ids: readonly string[]) => void {
  const { download } = useTransfers()
  return useCallback(
    (ids) => {
      const row = ids.length === 1 ? list.model.get(ids[0] ?? '') : undefined
      if (row && row.kind === 'FILE') {
        download({ id: row.id, name: row.name, size: row.size, downloadUrl: row.downloadUrl })
      } else if (ids.length > 0) {
        window.location.assign(archiveUrl(ids))
      }
    },
    [list, download],
  )
}

/** Several entries, or a folder, as one ZIP; the browser fetches it. */
export function archiveUrl(ids: readonly string[]): string {
  return `/api/v1/files/archive?ids=${ids.map(encodeURIComponent).join(',')}`
}
