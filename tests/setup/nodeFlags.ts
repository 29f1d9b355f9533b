import { readFileSync } from 'node:fs'

/**
 * The options of Node with which `npm start` begins the server. Servers in tests, tools and benchmarks get them too, so that what is
 * tested and measured is what users run. (V8 ignores most of them when they are set by the process itself.)
 */
export const NODE_FLAGS: readonly string[] = flagsOf(readFileSync('package.json', 'utf8'))

function flagsOf(manifest: string): string[] {
  const { start } = (JSON.parse(manifest) as { scripts: { start: string } }).scripts
  const flags = start.split(' ').filter((word) => word.startsWith('--'))
  if (flags.length === 0) throw new Error(`The script \`start\` of package.json has no options of Node: ${start}`)
  return flags
}
