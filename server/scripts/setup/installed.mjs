import { existsSync, readFileSync } from 'node:fs'

/**
 * Whether node_modules holds what package-lock.json asks for, by npm's own record of what it put there. So it does not
 * matter who installed: `npm ci` by us, or `npm install` by hand.
 */
export function isInstalled() {
  const record = 'node_modules/.package-lock.json'
  if (!existsSync(record)) return false
  const wanted = packagesOf('package-lock.json')
  const present = packagesOf(record)
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional || present[path]?.version === version,
  )
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages
}
