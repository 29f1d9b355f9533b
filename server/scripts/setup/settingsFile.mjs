import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

const FILE = '.env'

/**
 * Adds the settings of the file .env in the working directory to `environment`, where Docker Compose reads them too. What is set already
 * stays as it is. @returns the names of the added ones
 */
export function addSettingsFile(environment = process.env, file = FILE) {
  if (!existsSync(file)) return []
  const found = Object.entries(parseEnv(readFileSync(file, 'utf8')))
  const added = found.filter(([name]) => environment[name] === undefined)
  for (const [name, value] of added) environment[name] = value
  return added.map(([name]) => name)
}
