import { useEffect } from 'react'
import { announce } from '../../lib/announce.ts'
import { nameText } from '../../lib/nameText.ts'
import type { Summary, Transfer } from '../../lib/uploadQueue.ts'
import type { TransfersControl } from './transfersContext.ts'
import { files } from './words.ts'

const PREFIX = /^\d+% · /

/** The tab's title shows how far it is, while anything is open. */
export function useTitleProgress({ open, percent }: Summary): void {
  useEffect(() => {
    const bare = document.title.replace(PREFIX, '')
    const next = open > 0 ? `${percent}% · ${bare}` : bare
    if (next !== document.title) document.title = next
  }, [open, percent])
}

/** The browser asks before the page goes away, but only while bytes move: they would stop. */
export function useLeaveWarning(isMoving: boolean): void {
  useEffect(() => {
    if (!isMoving) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isMoving])
}

/** Results, not every percent, are read out. */
export function useSpokenResults(control: TransfersControl): void {
  useEffect(
    () =>
      control.onBatchEnd(({ uploaded, failures }) => {
        const parts = [uploaded > 0 && `${files(uploaded)} uploaded.`, failures.length > 0 && failureWords(failures)]
        const text = parts.filter(Boolean).join(' ')
        if (text) announce(text)
      }),
    [control],
  )
}

function failureWords(failures: readonly Transfer[]): string {
  const [first] = failures
  if (failures.length === 1 && first) return `${nameText(first.name)} failed: ${first.error}`
  return `${files(failures.length)} failed. See the transfers panel.`
}
