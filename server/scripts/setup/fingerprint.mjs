import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A hash of the paths and contents of all files at or below `paths`, without those that match `skip`. Missing files are included as missing. */
export function fingerprint(paths, skip = /$^/) {
  const hash = createHash('sha256')
  for (const file of paths.flatMap(filesAt).sort()) {
    if (skip.test(file)) continue
    hash.update(`${file}\0`)
    hash.update(existsSync(file) ? readFileSync(file) : 'absent')
  }
  return hash.digest('hex')
}

function filesAt(path) {
  if (!existsSync(path) || !statSync(path).isDirectory()) return [path]
  const entries = readdirSync(path, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}
