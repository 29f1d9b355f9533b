import { createHash } from 'node:crypto'
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { canEnter, chooseOwner, handOver, type Owner } from './owner.ts'

/** Where the kernel's limit for socket paths (107 bytes) would be passed, the socket goes to the temp folder. */
const MAX_SOCKET_PATH = 107
export const PORT = 5432

export type Directories = {
  readonly owner: Owner
  /** Holds the others; also the copy of the programs, where one is needed. */
  readonly state: string
  readonly cluster: string
  readonly socket: string
}

/**
 * Chooses and makes the folders of the embedded database of one data folder. As root, when the database's system
 * user cannot enter the data folder (it is below a 0700 home), they go to /var/lib/skypool; an existing cluster is never
 * left behind for a new one.
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
    throw new Error(`The database in ${inside} belongs to a user who may not enter that folder any more.`)
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
  // Root may take a folder over that it has just made; anybody else's (in the temp folder) is refused.
  if (uid !== expected && uid !== process.getuid?.()) throw new Error(`${dir} belongs to another user (uid ${uid}).`)
  handOver(dir, owner)
  if (owner) chownSync(dir, owner.uid, owner.gid)
  chmodSync(dir, 0o700)
}
