import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

const MAX_PAUSE_MS = 2000
const STOP_TIMEOUT_MS = 20_000

export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/**
 * Starts a process and starts it again, with growing pauses, each time it ends by itself. Closing its stdin asks it to end.
 * @throws what the first `start` throws
 */
export async function supervise(
  start: () => Promise<ChildProcess>,
  log: (line: string) => void,
): Promise<{ stop(): Promise<void> }> {
  let stopping = false
  let child = await start()

  const restart = async (pause: number): Promise<void> => {
    await sleep(pause)
    if (stopping) return
    try {
      child = await start()
    } catch (error) {
      log(`PostgreSQL could not be started again: ${(error as Error).message}`)
      await restart(Math.min(pause * 2, MAX_PAUSE_MS))
    }
  }
  const watching = (async () => {
    while (!stopping) {
      if (!hasEnded(child)) await once(child, 'exit')
      if (stopping) return
      log('PostgreSQL ended unexpectedly; starting it again')
      await restart(50)
    }
  })()
  return {
    async stop() {
      stopping = true
      await end(child)
      await watching
      await end(child) // one that was being started meanwhile
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const exit = once(child, 'exit')
  child.stdin?.end()
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await exit
  clearTimeout(timer)
}
