import { Download } from 'lucide-react'
import { exportedFile } from '../../lib/exportedFile.ts'
import { exportTypeText, noExportReason } from '../../lib/exportTypes.ts'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { useTransfers } from './transfersContext.ts'

type Props = {
  readonly document: {
    readonly id: string
    readonly name: string
    readonly nativeKind: string | null | undefined
    readonly exportTypes: readonly string[]
  }
  /** With the words on the button; otherwise they are its tooltip. */
  readonly hasText?: boolean
}

/** A button with the formats in which a native document can be downloaded. */
export function DownloadAs({ document, hasText = false }: Props) {
  const { download } = useTransfers()
  const { exportTypes, nativeKind } = document
  if (exportTypes.length === 0) {
    const reason = noExportReason(nativeKind ?? '')
    return hasText ? <p className="meta muted">{reason}</p> : <IconButton label={reason} icon={Download} disabled />
  }
  const items = exportTypes.map((type) => ({
    id: type,
    label: exportTypeText(type),
    onSelect: () => download(exportedFile(document, type)),
  }))
  return (
    <Menu
      label="Download as"
      align="end"
      items={items}
      trigger={(props) =>
        hasText ? (
          <Button {...props} size="sm" icon={Download}>
            Download as…
          </Button>
        ) : (
          <IconButton {...props} label="Download as…" icon={Download} />
        )
      }
    />
  )
}
