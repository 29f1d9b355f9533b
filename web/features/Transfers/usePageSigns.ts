import { useEffect } from 'react'
import { announce } from '../../lib/announce.ts'
import { nameText } from '../../lib/nameText.ts'
import type { Summary, Transfer } from '../../lib/uploadQueue.ts'
import { files } from './messages.ts'
import type { TransfersControl } from './transfersContext.ts'

const PREFIX = /^\d+% · /

/** Shows progress in the tab's title while a transfer is open. */
export function useTitleProgress({ open, percent }: Summary): void {
  useEffect(() => {
    const bare = document.title.replace(PREFIX, '')
    const next = open > 0 ? `${percent}% · ${bare}` : bare
    if (next !== document.title) document.title = next
  }, [open, percent])
}

/** Makes the browser ask before leaving the page, but only while bytes are being sent or wait for the connection. */
export function useLeaveWarning(isMoving: boolean): void {
  useEffect(() => {
    if (!isMoving) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isMoving])
}

/** Screen readers announce results, not every percent. */
export function useSpokenResults(control: TransfersControl): void {
  useEffect(
    () =>
      control.onBatchEnd(({ uploaded, failures }) => {
        const parts = [uploaded > 0 && `${files(uploaded)} uploaded.`, failures.length > 0 && failureText(failures)]
        const text = parts.filter(Boolean).join(' ')
        if (text) announce(text)
      }),
    [control],
  )
}

function failureText(failures: readonly Transfer[]): string {
  const [first] = failures
  if (failures.length === 1 && first) return `${nameText(first.name)} failed: ${first.error}`
  return `${files(failures.length)} failed. See the transfers panel.`
}
