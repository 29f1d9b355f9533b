import { useEffect, useRef, useState } from 'react'
import { advanceSpeed, type Speed } from '../../lib/speed.ts'

const TICK_MS = 1000

/** The speed of a running total, measured once a second while `isMoving`; otherwise null. */
export function useSpeed(bytes: number, isMoving: boolean): Speed | null {
  const latest = useRef(bytes)
  const [speed, setSpeed] = useState<Speed | null>(null)
  useEffect(() => {
    latest.current = bytes
  }, [bytes])
  useEffect(() => {
    if (!isMoving) return
    const read = () => setSpeed((last) => advanceSpeed(last, latest.current, Date.now()))
    read()
    const timer = setInterval(read, TICK_MS)
    return () => {
      clearInterval(timer)
      setSpeed(null)
    }
  }, [isMoving])
  return speed
}
