import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { SETTINGS } from '../../server/env.ts'
import { NODE_FLAGS } from '../setup/nodeFlags.ts'

/** Dockerfile and compose.yaml agree with the code. */
const dockerfile = readFileSync('Dockerfile', 'utf8')
const compose = readFileSync('compose.yaml', 'utf8')
const ignored = readFileSync('.dockerignore', 'utf8').split('\n')
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }

/** Created by the build; everything else must be in the repository. */
const BUILT = new Set(['node_modules', 'dist'])
/** Fixed in the image, or without use in it. */
const NOT_PASSED = new Set(['HOST', 'PORT', 'DATA_DIR', 'PROVIDER_EMULATOR_URL'])

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found)

/** Names and values in the `environment` of a service. */
function environmentOf(service: string): Map<string, string> {
  const [, body = ''] = new RegExp(`^ {2}${service}:\\n((?: {4}.*\\n|\\n)+)`, 'm').exec(compose) ?? []
  const [, lines = ''] = /^ {4}environment:\n((?: {6}.*\n)+)/m.exec(body) ?? []
  return new Map([...lines.matchAll(/^ {6}(\w+): (.*)$/gm)].map(([, name = '', value = '']) => [name, value]))
}

it('copies only files that exist', () => {
  const copied = all(dockerfile, /^COPY --from=build \/app\/(\S+)/gm)
  expect(copied).toContain('dist')
  expect(copied.filter((path) => !BUILT.has(path) && !existsSync(path))).toEqual([])
  const needed = ['server/main.ts', 'prisma/schema.prisma', 'web/index.html', 'package-lock.json']
  expect(needed.filter((path) => ignored.some((entry) => path === entry || path.startsWith(`${entry}/`)))).toEqual([])
})

it('runs only commands that exist, and waits longer than the server takes to stop', () => {
  for (const name of all(dockerfile, /npm run ([\w:-]+)/g)) expect(scripts).toHaveProperty([name])
  expect(dockerfile).toContain(
    `CMD ${JSON.stringify(['node', ...NODE_FLAGS, 'dist/server/main.cjs']).replaceAll(',', ', ')}`,
  )
  const [grace = ''] = all(compose, /stop_grace_period: (\d+)s/g)
  expect(Number(grace), 'more than the 28 seconds that the server takes at most').toBeGreaterThan(28)
})

it('sets only settings that exist', () => {
  const [line = ''] = all(dockerfile, /^ENV (.*)$/gm)
  // Read by Node and the C library.
  const notOurs = ['NODE_ENV', 'MALLOC_TRIM_THRESHOLD_', 'MALLOC_MMAP_THRESHOLD_']
  const names = all(line, /(\w+)=/g).filter((name) => !notOurs.includes(name))
  expect(names.filter((name) => !(name in SETTINGS))).toEqual([])
  for (const [name, value] of line.split(' ').map((pair) => pair.split('='))) {
    if (name && name in SETTINGS)
      expect(SETTINGS[name as keyof typeof SETTINGS].schema.safeParse(value).success).toBe(true)
  }
})

it('passes every setting on from .env under its own name', () => {
  const environment = environmentOf('skypool')
  expect([...environment.keys()].sort()).toEqual(
    Object.keys(SETTINGS)
      .filter((name) => !NOT_PASSED.has(name))
      .sort(),
  )
  for (const [name, value] of environment) if (name !== 'DATABASE_URL') expect(value).toMatch(`\${${name}:`)
})

it('installs packages without running their scripts', () => {
  const commands = all(dockerfile, /npm (ci|prune|install)\b/g)
  expect(commands).toEqual(['ci', 'prune'])
  expect(all(dockerfile, /npm (?:ci|prune) [^&\n]*(--ignore-scripts)/g)).toHaveLength(commands.length)
  expect(readFileSync('server/scripts/setup/prepare.mjs', 'utf8')).toMatch(/'ci',[^\]]*'--ignore-scripts'/)
})

it('names images by version and digest', () => {
  const images = [...all(dockerfile, /^FROM (\S+)/gm), ...all(compose, /^ {4}image: (\S+)/gm)]
  expect(images).toHaveLength(3)
  for (const image of images) expect(image).toMatch(/^[a-z]+:\d+\.\d+[\w.-]*@sha256:[\da-f]{64}$/)
})

it.each(['skypool', 'database'])('gives the %s container only what it needs', (service) => {
  const [, body = ''] = new RegExp(`^ {2}${service}:\\n((?: {4}.*\\n|\\n)+)`, 'm').exec(compose) ?? []
  for (const line of ['read_only: true', 'cap_drop: [ALL]', 'security_opt: ["no-new-privileges:true"]']) {
    expect(body, line).toContain(`\n    ${line}\n`)
  }
  expect(body).toMatch(/^ {4}tmpfs: .*\/tmp/m)
  // Neither container is root: the app by its image, the database by this file.
  expect(service === 'skypool' ? dockerfile : body).toMatch(/^(USER node| {4}user: postgres)$/m)
})

it('names the database that its own service creates', () => {
  const address = new URL(
    environmentOf('skypool')
      .get('DATABASE_URL')
      ?.replace(/\$\{[^}]+\}/, 'password') ?? '',
  )
  const database = environmentOf('database')
  expect(address.hostname).toBe('database')
  expect([address.username, address.pathname.slice(1)]).toEqual([
    database.get('POSTGRES_USER'),
    database.get('POSTGRES_DB'),
  ])
  expect(SETTINGS.DATABASE_URL.schema.safeParse(address.href).success).toBe(true)
})

it('keeps files and database in volumes that it declares', () => {
  const [, declared = ''] = /^volumes:\n((?: {2}\w+:\n?)+)/m.exec(compose) ?? []
  const mounted = all(compose, /^ {6}- (\w+):\//gm)
  expect(mounted.sort()).toEqual(all(declared, /(\w+):/g).sort())
  expect(dockerfile).toMatch(/^VOLUME \/data$/m)
  expect(compose).toContain('files:/data')
})

it('indents lines only with pairs of spaces', () => {
  const indents = compose.split('\n').map((line) => /^\s*/.exec(line)?.[0] ?? '')
  expect(indents.filter((indent) => indent.includes('\t') || indent.length % 2 === 1)).toEqual([])
})
