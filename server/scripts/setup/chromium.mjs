import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { canInstall, installPackages } from './apt.mjs'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const ELSEWHERE = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome']

/**
 * The path of a Chromium for the browser tests: CHROMIUM_PATH, else one on the PATH, else, as root on Debian or Ubuntu, installs
 * one. @throws Error with instructions
 */
export async function findChromium() {
  const found = locate()
  if (found) return found
  if (!canInstall()) {
    throw new Error('The browser tests need Chromium. Install it, or name it: CHROMIUM_PATH=/path/to/chromium npm test')
  }
  console.log('Installing Chromium for the browser tests')
  await installPackages(['chromium'])
  const installed = locate()
  if (!installed) throw new Error('Chromium was installed, but it is not on the PATH. Name it in CHROMIUM_PATH.')
  return installed
}

/**
 * Installs Chromium's headless shell where possible: most browser tests take a third less time with it. Without it they use Chromium,
 * so failing to install it is no error.
 */
export async function installHeadlessShell() {
  if (process.env.CHROMIUM_SHELL_PATH || existsSync('/usr/bin/chromium-headless-shell') || !canInstall()) return
  await installPackages(['chromium-headless-shell']).catch((error) => console.warn(error.message))
}

function locate() {
  const named = process.env.CHROMIUM_PATH
  if (named && !existsSync(named)) throw new Error(`CHROMIUM_PATH names ${named}, which is not there.`)
  const folders = (process.env.PATH ?? '').split(delimiter)
  const onPath = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  return [named, ...onPath, ...ELSEWHERE].find((path) => path && existsSync(path) && works(path))
}

/** Some distributions have a script there that only explains how to install it. */
function works(path) {
  return spawnSync(path, ['--version'], { timeout: 30_000 }).status === 0
}
