import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/** The system user that Postgres runs as; null: our own user. */
export type Owner = { readonly uid: number; readonly gid: number } | null

export type Directories = {
  readonly owner: Owner
  /** Contains the others, and the copy of the programs if one is needed. */
  readonly state: string
  readonly cluster: string
  readonly socket: string
}

/** The kernel's limit for socket paths in bytes; beyond it, the socket is in the temp folder. */
const MAX_SOCKET_PATH = 107
export const PORT = 5432

/**
 * Chooses and creates the folders of the embedded database of a data folder. As root, when the database's system user cannot enter
 * the data folder (below a 0700 home), they are in /var/lib/skypool. An existing cluster is always used rather than a new one.
 */
export function prepareDirectories(dataDir: string): Directories {
  const inside = join(dataDir, 'postgres')
  const outside = join('/var/lib/skypool', nameFor(dataDir))
  const owner = chooseOwner([join(inside, 'cluster'), join(outside, 'cluster')])
  mkdirSync(dataDir, { recursive: true })
  const state = chooseState(inside, outside, canEnter(owner, dataDir))
  mkdirSync(state, { recursive: true, mode: 0o755 })
  const directories = { owner, state, cluster: join(state, 'cluster'), socket: socketDir(state) }
  makePrivate(directories.cluster, owner)
  makePrivate(directories.socket, owner)
  return directories
}

function chooseState(inside: string, outside: string, reachable: boolean): string {
  if (hasCluster(outside)) return outside
  if (hasCluster(inside) && !reachable) {
    throw new Error(`The database in ${inside} belongs to a user who can no longer enter that folder.`)
  }
  return reachable ? inside : outside
}

function hasCluster(state: string): boolean {
  return existsSync(join(state, 'cluster', 'PG_VERSION'))
}

function socketDir(state: string): string {
  const usual = join(state, 'socket')
  const fits = Buffer.byteLength(join(usual, `.s.PGSQL.${PORT}`)) <= MAX_SOCKET_PATH
  return fits ? usual : join(tmpdir(), `skypool-${nameFor(state)}`)
}

function nameFor(path: string): string {
  return `${basename(path).slice(0, 20)}-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`
}

function makePrivate(dir: string, owner: Owner): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const { uid } = lstatSync(dir)
  const expected = owner?.uid ?? process.getuid?.() ?? uid
  // Root may take over a folder that it has just created; folders of other users (in the temp folder) are refused.
  if (uid !== expected && uid !== process.getuid?.()) throw new Error(`${dir} belongs to another user (uid ${uid}).`)
  handOver(dir, owner)
  if (owner) chownSync(dir, owner.uid, owner.gid)
  chmodSync(dir, 0o700)
}

/** Spawn options that run a program as `owner`, in a folder that every user may enter. */
export function spawnAs(owner: Owner) {
  return owner ? { uid: owner.uid, gid: owner.gid, cwd: '/' } : { cwd: '/' }
}

/**
 * Postgres refuses to run as root. As root, this is the owner of the existing cluster, else (no cluster, or one that belongs to
 * root) the system user `postgres`, which is created if missing.
 */
function chooseOwner(clusterDirs: readonly string[]): Owner {
  if (process.getuid?.() !== 0) return null
  const cluster = clusterDirs.find((dir) => existsSync(join(dir, 'PG_VERSION')))
  if (cluster) {
    const { uid, gid } = statSync(cluster)
    if (uid !== 0) return { uid, gid }
  }
  return systemUser('postgres') ?? createSystemUser('postgres')
}

/** Changes the owner of a folder that belongs to root, recursively; links are changed, not followed. */
function handOver(dir: string, owner: Owner): void {
  if (!owner || statSync(dir).uid !== 0) return
  execFileSync('chown', ['-hR', `${owner.uid}:${owner.gid}`, dir], { stdio: 'pipe' })
}

/** Whether `owner` may enter `dir`; tested by trying rather than by reading modes. */
function canEnter(owner: Owner, dir: string): boolean {
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
