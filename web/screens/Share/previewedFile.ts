import type { PreviewedFile } from '../../features/Preview/FilePreview.tsx'
import { inline } from './addresses.ts'

type Shown = {
  readonly kind: string
  readonly name: string
  readonly category?: string | null | undefined
  readonly mimeType?: string | null | undefined
  readonly size: number
}

/** What browsers draw without running anything of it; the server refuses to show the rest. */
const SHOWN = /^image\/(png|apng|jpeg|gif|webp|avif|bmp|x-icon)$|^(?:audio|video)\/|^application\/pdf$/

/** What a preview may read of a file at this address: nothing where every download counts. */
export function previewedFile(
  { kind, name, category, mimeType, size }: Shown,
  url: string,
  isLimited: boolean,
): PreviewedFile {
  const inlineUrl = !isLimited && SHOWN.test(mimeType?.toLowerCase() ?? '') ? inline(url) : null
  return {
    kind,
    name,
    category: category ?? 'OTHER',
    mimeType,
    size,
    inlineUrl,
    contentUrl: isLimited ? null : inline(url),
  }
}
