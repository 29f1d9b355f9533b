import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Directories, PORT } from './directories.ts'

const MAX_PAUSE_MS = 2000
const STOP_TIMEOUT_MS = 20_000

/**
 * Waits for an earlier Postgres of this cluster to end, after a signal if the process that started it is gone, and deletes what a
 * crash left behind. @throws Error when another running server uses the cluster
 */
export async function endEarlierPostgres(directories: Directories): Promise<void> {
  for (let waited = 0; livePostmaster(directories) !== null; waited += 100) {
    const pid = livePostmaster(directories)
    if (pid !== null && waited === 3000) {
      const holder = readHolder(directories)
      if (holder !== null)
        throw new Error(`Another Skypool (process ${holder}) is using ${directories.state}. Stop it first.`)
      process.kill(pid, 'SIGINT')
    }
    if (waited > 30_000) throw new Error(`An earlier PostgreSQL (process ${pid}) in ${directories.state} does not end.`)
    await sleep(100)
  }
  // Postgres trusts these files while any process has the old id, even a zombie or an unrelated one.
  const { cluster, socket } = directories
  const stale = [
    join(cluster, 'postmaster.pid'),
    join(socket, `.s.PGSQL.${PORT}`),
    join(socket, `.s.PGSQL.${PORT}.lock`),
  ]
  for (const file of stale) rmSync(file, { force: true })
}

/** Whether another process runs this cluster, and it accepts connections. */
export function isServing(directories: Directories): boolean {
  return livePostmaster(directories) !== null && isReady(directories)
}

/** The process id of the live Postgres of this cluster. */
function livePostmaster({ cluster }: Directories): number | null {
  const file = join(cluster, 'postmaster.pid')
  if (!existsSync(file)) return null
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  const command = commandOf(pid)
  return command.includes('postgres') && command.includes(cluster) ? pid : null
}

/** Line 8 of postmaster.pid says when connections are accepted, so no connection attempts are needed. */
export function isReady({ cluster }: Directories): boolean {
  try {
    return readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[7]?.trim() === 'ready'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

export function holderFile({ state }: Directories): string {
  return join(state, 'holder.pid')
}

function readHolder(directories: Directories): number | null {
  if (!existsSync(holderFile(directories))) return null
  const pid = Number(readFileSync(holderFile(directories), 'utf8'))
  return pid !== process.pid && commandOf(pid).includes('node') ? pid : null
}

/** Empty for a process that has ended, and for a zombie. */
function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' })
  } catch {
    return ''
  }
}

/**
 * Starts a process and restarts it, with increasing pauses, each time it ends by itself. It is stopped by closing its stdin.
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
      log(`PostgreSQL could not be restarted: ${(error as Error).message}`)
      await restart(Math.min(pause * 2, MAX_PAUSE_MS))
    }
  }
  const watching = (async () => {
    while (!stopping) {
      if (!hasEnded(child)) await once(child, 'exit')
      if (stopping) return
      log('PostgreSQL ended unexpectedly; restarting it')
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

export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const exit = once(child, 'exit')
  child.stdin?.end()
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await exit
  clearTimeout(timer)
}
