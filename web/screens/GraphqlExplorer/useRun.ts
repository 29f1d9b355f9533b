import { useEffect, useRef, useState } from 'react'
import { type Operation, runOperation } from './runOperation.ts'
import { words } from './words.ts'

/** Runs one operation at a time; what was running is stopped by the next and when the page is left. */
export function useRun() {
  const [answer, setAnswer] = useState('')
  const [note, setNote] = useState('')
  const [isBusy, setBusy] = useState(false)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  const stop = () => running.current?.abort()
  const run = async (operation: Operation) => {
    stop()
    const mine = new AbortController()
    running.current = mine
    setBusy(true)
    setAnswer('')
    setNote(words.waiting)
    const tell = (text: string) => {
      setAnswer((before) => (before ? `${text}\n\n${before}` : text))
      setNote(words.listening)
    }
    const outcome = await runOperation(operation, mine.signal, tell).catch(() => null)
    if (running.current !== mine) return
    setBusy(false)
    if (outcome) setNote(words.took(outcome.status, outcome.milliseconds))
    else setNote(mine.signal.aborted ? words.ended : words.unreachable)
  }
  return { answer, note, isBusy, run, stop, fail: setNote }
}
