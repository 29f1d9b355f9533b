import { useEffect } from 'react'
import { useTransfers } from '../../../features/Transfers/transfersContext.ts'
import { fileEntries } from '../../../lib/dropEntries.ts'
import { isOverlayOpen, isTyping } from '../../../lib/keyboard.ts'
import { toast } from '../../../ui/toast.ts'
import type { FileManager } from '../FilesContext.ts'
import { notAllowed } from '../messages.ts'

/** Files of the desktop that are pasted are uploaded into the open folder. */
export function usePasteFiles({ folder }: FileManager): void {
  const { upload } = useTransfers()
  const parentId = folder?.id ?? null
  const place = folder?.name ?? 'My Drive'
  const isRefused = folder?.canCreate === false
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const files = event.clipboardData?.files
      if (!files || files.length === 0 || isTyping(event.target) || isOverlayOpen()) return
      event.preventDefault()
      if (isRefused) return void toast.error(notAllowed(place))
      upload(fileEntries(files), { parentId, groupCloudId: null, place })
    }
    document.addEventListener('paste', onPaste)
    return () => document.removeEventListener('paste', onPaste)
  }, [upload, parentId, place, isRefused])
}
