import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fingerprint } from './fingerprint.mjs'
import { isInstalled } from './installed.mjs'
import { compileQueries } from './relay.mjs'
import { bin, mustRun } from './run.mjs'

/** Fingerprints of the inputs of each step's last success. Not in node_modules: `npm ci` deletes that. */
const STAMPS = join('.cache', 'stamps')
const TOOLS = ['package-lock.json']
/** The languages of the web client next to English: those with a catalogue. */
const LANGUAGES = readdirSync(join('web', 'languages')).flatMap((name) => /^(\w+)\.json$/.exec(name)?.[1] ?? [])
const GENERATED = /__generated__|server[\\/]db[\\/]generated/

const STEPS = {
  prisma: {
    says: 'Generating the database client',
    reads: [...TOOLS, 'prisma/schema.prisma', 'prisma.config.ts'],
    makes: 'server/db/generated/pothos.ts',
    run: () => mustRun(bin('prisma'), ['generate']),
  },
  relay: {
    says: 'Compiling the queries',
    reads: [...TOOLS, 'schema.graphql', 'relay.config.js', 'web', 'tests/web'],
    skips: GENERATED,
    makes: 'web/__generated__',
    run: compileQueries,
  },
  web: {
    says: 'Building the web client',
    reads: [...TOOLS, 'web', 'schema.graphql'],
    makes: 'dist/web/index.html',
    run: async () => {
      const build = ['build', '--config', 'web/vite.config.ts', '--logLevel', 'warn']
      await mustRun(bin('vite'), build)
      // One after another: the first empties the folder.
      for (const language of LANGUAGES) await mustRun(bin('vite'), [...build, '--mode', language])
    },
  },
  server: {
    says: 'Building the server',
    reads: [...TOOLS, 'server', 'prisma/schema.prisma', 'web/__generated__/persisted.json'],
    skips: GENERATED,
    makes: 'dist/server/main.cjs',
    run: () => mustRun(process.execPath, ['server/scripts/setup/bundle.mjs']),
  },
}

/**
 * Installs what is missing and generates what is not committed: enough for the checks, which must see the Relay artifacts
 * as they are. @throws Error with a message for people
 */
export async function prepareChecks() {
  await install()
  await step('prisma')
}

/** As prepareChecks, and compiles the queries of the web client: enough for development. */
export async function prepareSources() {
  await install()
  await Promise.all([step('prisma'), step('relay')])
}

/** As prepareSources, and builds the web client and the server in dist/. */
export async function prepareBuild() {
  await install()
  await Promise.all([step('prisma').then(() => step('server')), step('relay').then(() => step('web'))])
}

async function install() {
  if (isInstalled()) return
  if (isLink('node_modules')) return console.log('node_modules is a symbolic link: its packages are used as they are')
  console.log('Installing packages (this takes a minute or two)')
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm']
  const [command, ...args] = [...npm, 'ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund']
  await mustRun(command, args)
}

/** `npm ci` would delete the packages that the link points to, which other projects may use. */
function isLink(path) {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

async function step(name) {
  const { says, reads, skips, makes, run } = STEPS[name]
  const stamp = join(STAMPS, name)
  const current = () => fingerprint(reads, skips)
  if (existsSync(makes) && existsSync(stamp) && readFileSync(stamp, 'utf8') === current()) return
  console.log(says)
  const before = current()
  await run()
  mkdirSync(STAMPS, { recursive: true })
  writeFileSync(stamp, before)
}
