import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The system user that Postgres runs as; null means "as whoever we are". */
export type Owner = { readonly uid: number; readonly gid: number } | null

/** Spawn options that run a program as `owner`, from a folder every user may enter. */
export function spawnAs(owner: Owner) {
  return owner ? { uid: owner.uid, gid: owner.gid, cwd: '/' } : { cwd: '/' }
}

/**
 * Postgres refuses to run as root. Then it is the owner of the existing cluster, else (no cluster yet, or a copy of one
 * that root has made) the system user `postgres`, which is created when there is none.
 */
export function chooseOwner(clusterDirs: readonly string[]): Owner {
  if (process.getuid?.() !== 0) return null
  const cluster = clusterDirs.find((dir) => existsSync(join(dir, 'PG_VERSION')))
  if (cluster) {
    const { uid, gid } = statSync(cluster)
    if (uid !== 0) return { uid, gid }
  }
  return systemUser('postgres') ?? createSystemUser('postgres')
}

/** Gives a folder of root's and all that is in it to `owner`; links are changed, never followed. */
export function handOver(dir: string, owner: Owner): void {
  if (!owner || statSync(dir).uid !== 0) return
  execFileSync('chown', ['-hR', `${owner.uid}:${owner.gid}`, dir], { stdio: 'pipe' })
}

/** Whether `owner` may enter `dir`, judged by the kernel rather than by reading modes. */
export function canEnter(owner: Owner, dir: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', dir], spawnAs(owner)).status === 0
}

function systemUser(name: string): Owner {
  const uid = spawnSync('id', ['-u', name], { encoding: 'utf8' })
  const gid = spawnSync('id', ['-g', name], { encoding: 'utf8' })
  return uid.status === 0 && gid.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid.stdout) } : null
}

function createSystemUser(name: string): Owner {
  const flags = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin']
  execFileSync('useradd', [...flags, name], { stdio: 'pipe' })
  const user = systemUser(name)
  if (!user) throw new Error(`The system user "${name}" could not be created. Create it by hand, or set DATABASE_URL.`)
  return user
}
