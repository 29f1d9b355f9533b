import { Camera, Upload } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { type FileRejection, useDropzone } from 'react-dropzone'
import { graphql, useFragment } from 'react-relay'
import type { DropArea_server$key } from '../../__generated__/DropArea_server.graphql.ts'
import { cx } from '../../lib/cx.ts'
import { nameText } from '../../lib/nameText.ts'
import { useIsMobile } from '../../lib/useMediaQuery.ts'
import { Button } from '../../ui/Button.tsx'
import dropZoneStyles from '../../ui/DropZone.module.css'
import { Icon } from '../../ui/Icon.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { acceptMap } from './uploadRules.ts'

type Props = {
  readonly server: DropArea_server$key
  readonly onFiles: (files: readonly File[]) => void
  readonly disabled: boolean
}

export function DropArea({ server, onFiles, disabled }: Props) {
  const { uploadTypes } = useFragment(
    graphql`
      fragment DropArea_server on ServerInfo {
        uploadTypes { mimeType extensions }
      }
    `,
    server,
  )
  const [refused, setRefused] = useState<readonly FileRejection[]>([])
  const hintId = useId()
  // Nothing is dragged on a phone.
  const isMobile = useIsMobile()
  const accept = acceptMap(uploadTypes)
  const takesPictures = !accept || Object.keys(accept).some((type) => type.startsWith('image/'))
  const { getRootProps, getInputProps, isDragActive } = useDropzone({
    ...(accept && { accept }),
    disabled,
    onDrop: (accepted, rejections) => {
      setRefused(rejections)
      if (accepted.length > 0) onFiles(accepted)
    },
  })
  return (
    <>
      <button
        {...getRootProps({ role: 'button', 'aria-describedby': hintId })}
        type="button"
        disabled={disabled}
        className={cx(
          `${dropZoneStyles.zone} mt-4 w-full disabled:cursor-not-allowed`,
          isDragActive && dropZoneStyles.over,
        )}
      >
        <Icon icon={Upload} size={24} />
        <span className="font-medium">
          {isDragActive
            ? 'Drop the files here...'
            : isMobile
              ? 'Tap to choose files'
              : 'Drag and drop files here or click to browse'}
        </span>
        <span className="meta subtle">Supports images, PDFs, videos, audio, and documents</span>
      </button>
      <input {...getInputProps({ 'aria-label': 'file upload' })} />
      {isMobile && takesPictures && <CameraButton onFiles={onFiles} disabled={disabled} />}
      <span id={hintId} className="sr-only">
        Drag 'n' drop files here, or click to select files
      </span>
      {refused.length > 0 && <RefusedFiles refused={refused} />}
    </>
  )
}

/** Takes a picture and adds it. The field that opens a phone's camera is not in the page: the dialog has one field for files. */
function CameraButton({ onFiles, disabled }: Pick<Props, 'onFiles' | 'disabled'>) {
  // Kept, because a browser may forget a field that nothing refers to while its camera is open.
  const field = useRef<HTMLInputElement>(null)
  const open = () => {
    const camera = document.createElement('input')
    camera.type = 'file'
    camera.accept = 'image/*'
    camera.setAttribute('capture', 'environment')
    camera.addEventListener('change', () => camera.files?.length && onFiles([...camera.files]))
    field.current = camera
    camera.click()
  }
  return (
    <Button icon={Camera} className="mt-3 w-full" disabled={disabled} onClick={open}>
      Take a picture
    </Button>
  )
}

function RefusedFiles({ refused }: { refused: readonly FileRejection[] }) {
  return (
    <div className="mt-3">
      <Notice tone="danger">
        {refused.map(({ file, errors }) => (
          <p key={file.name} className="wrap-anywhere">
            <b className="font-medium">{nameText(file.name)}</b>: {reasonText(errors[0]?.code)}
          </p>
        ))}
      </Notice>
    </div>
  )
}

function reasonText(code: string | undefined): string {
  if (code === 'file-invalid-type') return 'this type of file is not accepted here.'
  return 'your browser could not read it. Check that it still exists.'
}
