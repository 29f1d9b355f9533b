import { Download, ExternalLink } from 'lucide-react'
import { useEffect, useState } from 'react'
import { fetchBytes, RefusedError } from '../../lib/downloadBytes.ts'
import { exportUrl } from '../../lib/exportedFile.ts'
import { nameText } from '../../lib/nameText.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { FileIcon } from '../../ui/FileIcon.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { ShortcutTarget } from '../Details/ShortcutTarget.tsx'
import styles from './Preview.module.css'

export type NativeDocument = {
  readonly id: string
  readonly name: string
  readonly category: string
  readonly nativeKind: string
  readonly exportTypes: readonly string[]
  readonly webUrl: string | null | undefined
  readonly account: { readonly providerName: string } | null | undefined
}

type Props = { readonly document: NativeDocument; readonly onDownload: () => void }

/** A native document as the PDF that its provider makes of it; otherwise the reason why not, and where it can be opened. */
export function DocumentPreview({ document, onDownload }: Props) {
  const { id, name, category, nativeKind, exportTypes, webUrl, account } = document
  const isShown = exportTypes.includes('pdf') && navigator.pdfViewerEnabled
  const pdf = usePdf(isShown ? exportUrl(id, 'pdf', 'inline') : null)
  if (pdf.url) return <iframe className={styles.frame} src={pdf.url} title={nameText(name)} />
  if (isShown && pdf.problem === null) {
    return (
      <div className={styles.none} role="status">
        <Skeleton width={160} height={200} />
        <p>{account?.providerName ?? 'The provider'} is converting the document…</p>
      </div>
    )
  }
  return (
    <div className={styles.none}>
      <FileIcon category={category} size={40} />
      {nativeKind === 'SHORTCUT' ? (
        <p>
          A shortcut to <ShortcutTarget id={id} />
        </p>
      ) : (
        <p>{pdf.problem ?? 'There is no preview for this type of document.'}</p>
      )}
      <div className="hstack flex-wrap justify-center">
        {webUrl && (
          <a className={buttonClass('primary')} href={webUrl} target="_blank" rel="noopener noreferrer">
            <Icon icon={ExternalLink} />
            Open in {account?.providerName ?? 'its account'}
          </a>
        )}
        {exportTypes.length > 0 && (
          <Button icon={Download} onClick={onDownload}>
            Download
          </Button>
        )}
      </div>
    </div>
  )
}

type Pdf = { readonly url: string | null; readonly problem: string | null }

/** The PDF at this address as an object URL. It is fetched before it is shown, so that an error is not shown as a page. */
function usePdf(address: string | null): Pdf {
  const [pdf, setPdf] = useState<Pdf>({ url: null, problem: null })
  useEffect(() => {
    if (address === null) return
    const abort = new AbortController()
    let url: string | null = null
    fetchBytes(address, abort.signal, () => undefined).then(
      (bytes) => {
        url = URL.createObjectURL(bytes)
        setPdf({ url, problem: null })
      },
      (error: unknown) => {
        if (abort.signal.aborted) return
        const detail = error instanceof RefusedError ? error.detail : ''
        setPdf({
          url: null,
          problem: detail || 'The document could not be loaded. Try again when you are back online.',
        })
      },
    )
    return () => {
      abort.abort()
      if (url) URL.revokeObjectURL(url)
      setPdf({ url: null, problem: null })
    }
  }, [address])
  return pdf
}
