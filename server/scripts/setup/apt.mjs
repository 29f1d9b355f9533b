import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { mustRun, run } from './run.mjs'

const TRIES = 20
const PAUSE_MS = 6_000

/** Whether packages can be installed: as root on Debian or Ubuntu. */
export function canInstall() {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
}

/** @throws Error with the output of apt-get */
export async function installPackages(names) {
  await updateLists()
  await apt(['install', '-y', '--no-install-recommends', ...names])
}

/**
 * Unpacks packages, and what they depend on and is not installed, into a new folder: installing a server would also start it. The
 * folder appears when it is complete. @throws Error with the output of the command that failed
 */
export async function unpackPackages(names, folder) {
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  try {
    await updateLists()
    const plan = await apt(['-s', 'install', '--no-install-recommends', ...names])
    await apt(['download', ...[...plan.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name)], unfinished)
    await unpackFiles(unfinished)
    renameSync(unfinished, folder)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

async function unpackFiles(folder) {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb'))) {
    await mustRun('dpkg', ['-x', join(folder, file), folder])
    rmSync(join(folder, file))
  }
}

let updating = null

/** The lists of packages are asked for once: they do not change during a run. */
async function updateLists() {
  updating ??= apt(['update'])
  await updating.catch((error) => {
    updating = null
    throw error
  })
}

/** Waits while another program holds the package lock. @returns what apt-get prints */
async function apt(args, cwd = process.cwd()) {
  // RUNLEVEL: Debian starts no service that it has installed.
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  for (let left = TRIES; ; left -= 1) {
    const { code, output } = await run('apt-get', args, { env, cwd })
    if (code === 0) return output
    if (left === 0 || !/could not get lock|unable to lock|is held by/i.test(output)) {
      throw new Error(`apt-get ${args.join(' ')} failed. Please install the packages manually.\n${output}`)
    }
    await sleep(PAUSE_MS)
  }
}
