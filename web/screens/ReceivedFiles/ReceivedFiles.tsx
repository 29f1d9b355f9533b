import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router'
import { useTransfers } from '../../features/Transfers/transfersContext.ts'
import { takeReceivedFiles } from '../../lib/receivedFiles.ts'
import { LoadingPage } from '../../ui/LoadingPage.tsx'
import { toast } from '../../ui/toast.ts'

/** Opens the upload dialog in My Drive with the files that another app has sent here. */
export function ReceivedFiles() {
  const { offerFiles } = useTransfers()
  const navigate = useNavigate()
  // The files are given once, and effects run twice in strict mode.
  const isTaken = useRef(false)
  useEffect(() => {
    if (isTaken.current) return
    isTaken.current = true
    void takeReceivedFiles()
      .catch(() => [])
      .then((files) => {
        void navigate('/file-manager/my-drive', { replace: true })
        if (files.length > 0) offerFiles(files)
        else
          toast.error('No files arrived', { description: 'Share them again, or choose them here with Upload Files.' })
      })
  }, [navigate, offerFiles])
  return <LoadingPage />
}
