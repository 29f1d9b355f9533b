import { readFileSync } from 'node:fs'

/**
 * The options of Node with which `npm start` begins the server. Servers in tests, tools and benchmarks get them too, so that what is
 * tested and measured is what users run. (V8 ignores most of them when they are set by the process itself.)
 */
export const NODE_FLAGS: readonly string[] = startWords().filter((word) => word.startsWith('--'))

/** The environment variables of the same command, for the C library: a process cannot set them for itself. */
export const START_SETTINGS: Readonly<Record<string, string>> = Object.fromEntries(
  startWords().flatMap((word) => {
    const [, name, value] = /^([A-Z_]+)=(.+)$/.exec(word) ?? []
    return name && value ? [[name, value]] : []
  }),
)

function startWords(): string[] {
  const { start } = (JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } }).scripts
  return start.split(' ')
}

if (NODE_FLAGS.length === 0) throw new Error('The script `start` of package.json has no options of Node.')
