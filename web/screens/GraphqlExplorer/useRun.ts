import { useEffect, useRef, useState } from 'react'
import { messages } from './messages.ts'
import { type Operation, runOperation } from './runOperation.ts'

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
    setNote(messages.waiting)
    const tell = (text: string) => {
      setAnswer((before) => (before ? `${text}\n\n${before}` : text))
      setNote(messages.listening)
    }
    const outcome = await runOperation(operation, mine.signal, tell).catch(() => null)
    if (running.current !== mine) return
    setBusy(false)
    if (outcome) setNote(messages.took(outcome.status, outcome.milliseconds))
    else setNote(mine.signal.aborted ? messages.ended : messages.unreachable)
  }
  return { answer, note, isBusy, run, stop, fail: setNote }
}
