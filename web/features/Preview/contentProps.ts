import type { ReactNode } from 'react'

/** Of every preview that reads the content of a file. */
export type ContentProps = {
  readonly name: string
  /** Where the bytes are; ranges of them can be read. */
  readonly url: string
  readonly size: number
  /** What is shown instead; the reason completes "This file cannot be shown: …". */
  readonly cannotShow: (reason: string) => ReactNode
}
