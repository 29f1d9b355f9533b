import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from './run.mjs'

const TRIES = 20
const PAUSE_MS = 6_000

/** Whether packages can be installed: as root on Debian or Ubuntu. */
export function canInstall() {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
}

/** @throws Error with the output of apt-get */
export async function installPackages(names) {
  await apt(['update'])
  await apt(['install', '-y', '--no-install-recommends', ...names])
}

/** Waits while another program holds the package lock. */
async function apt(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (let left = TRIES; ; left -= 1) {
    const { code, output } = await run('apt-get', args, { env })
    if (code === 0) return
    if (left === 0 || !/could not get lock|unable to lock|is held by/i.test(output)) {
      throw new Error(`apt-get ${args.join(' ')} failed. Please install the packages manually.\n${output}`)
    }
    await sleep(PAUSE_MS)
  }
}
