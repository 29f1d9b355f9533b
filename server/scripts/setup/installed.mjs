import { existsSync, readFileSync } from 'node:fs'

/**
 * Whether node_modules matches package-lock.json, according to npm's own record in node_modules. So it does not matter whether it was
 * installed by our `npm ci` or by `npm install`.
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
