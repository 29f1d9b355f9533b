import { useEffect, useState } from 'react'
import type { TransfersCore } from './createTransfers.ts'
import type { Resumable } from './resumeStore.ts'
import { heldUploads } from './uploadHolds.ts'

export type Resumables = {
  /** Uploads of an earlier visit that no tab is sending. */
  readonly left: readonly Resumable[]
  /** Resumes those whose files are among the given ones; returns how many. */
  readonly resume: (files: readonly File[]) => number
  /** Discards them: the server deletes its part when they expire. */
  readonly forget: () => void
}

export function useResumables({ engine, resumes }: TransfersCore): Resumables {
  const [left, setLeft] = useState<readonly Resumable[]>([])
  useEffect(() => {
    let isCurrent = true
    const remembered = resumes.list()
    if (remembered.length === 0) return
    heldUploads().then(
      (held) => isCurrent && setLeft(remembered.filter(({ uploadUrl }) => !held.has(uploadUrl))),
      (error: unknown) => console.warn('Could not find out what other tabs are uploading', error),
    )
    return () => {
      isCurrent = false
    }
  }, [resumes])

  return {
    left,
    resume(files) {
      const found = engine.continueUploads(files, left)
      setLeft(left.filter((entry) => !found.includes(entry)))
      return found.length
    },
    forget() {
      for (const { uploadUrl } of left) resumes.forget(uploadUrl)
      setLeft([])
    },
  }
}
