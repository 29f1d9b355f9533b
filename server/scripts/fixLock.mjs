import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Run after every change of package-lock.json. Adds entries for platform packages that npm left out (without them `npm ci` of npm 11
 * fails with "Missing: ..."), and removes registry addresses, so that any registry can be used.
 */
const FILE = 'package-lock.json'
const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']
const ALIASES = { windows: 'win32', eabi: 'arm' }

const lock = JSON.parse(readFileSync(FILE, 'utf8'))
for (const [path, entry] of Object.entries(lock.packages)) {
  delete entry.resolved
  if (path !== '') addMissing(path, entry)
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`)

function addMissing(path, { optionalDependencies = {}, dev, license }) {
  for (const [name, range] of Object.entries(optionalDependencies)) {
    const version = range.replace(/^[\^~]/, '')
    const top = lock.packages[`node_modules/${name}`]
    const nested = `${path}/node_modules/${name}`
    if (lock.packages[nested] || top?.version === version || (top && range !== version)) continue
    const platform = platformOf(name)
    if (!platform) continue
    lock.packages[top ? nested : `node_modules/${name}`] = {
      version,
      ...platform,
      ...(dev && { dev }),
      license,
      optional: true,
    }
  }
}

/** "@rolldown/binding-linux-arm64-gnu" is for { cpu: ['arm64'], os: ['linux'] }; null when the name contains neither. */
function platformOf(name) {
  const words = name
    .split('/')
    .at(-1)
    .split(/[-.]/)
    .map((word) => ALIASES[word] ?? word)
  const cpu = PROCESSORS.filter((word) => words.includes(word)).slice(0, 1)
  const os = SYSTEMS.filter((word) => words.includes(word)).slice(0, 1)
  return cpu.length + os.length > 0 ? { ...(cpu.length && { cpu }), ...(os.length && { os }) } : null
}
