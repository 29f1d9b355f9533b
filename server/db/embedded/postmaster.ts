import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Directories, PORT } from './directories.ts'

/** The process id of the live Postgres of this cluster. */
function livePostmaster({ cluster }: Directories): number | null {
  const file = join(cluster, 'postmaster.pid')
  if (!existsSync(file)) return null
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  const command = commandOf(pid)
  return command.includes('postgres') && command.includes(cluster) ? pid : null
}

/**
 * Waits for an earlier Postgres of this cluster to end, asking it to when the process that started it is gone, and
 * clears what a crash left behind. @throws Error when another running server holds the cluster
 */
export async function clearTheWay(directories: Directories): Promise<void> {
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
  // Postgres trusts these when a process with the old id exists, be it a zombie or somebody else's.
  const { cluster, socket } = directories
  const stale = [
    join(cluster, 'postmaster.pid'),
    join(socket, `.s.PGSQL.${PORT}`),
    join(socket, `.s.PGSQL.${PORT}.lock`),
  ]
  for (const file of stale) rmSync(file, { force: true })
}

/** Line 8 of postmaster.pid says when connections are accepted: no need to knock. */
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

/** Empty for a process that is gone, and for a zombie. */
function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' })
  } catch {
    return ''
  }
}
