import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'

/** Kinds of tests that start in seconds: they need neither a build nor a browser. */
const FAST = ['tests/server', 'tests/web', 'tests/conformance', 'tests/arch']
const TEST = /\.test\.tsx?$/
/** More would take longer than a minute. */
const MOST = 12

/** Files that git shows as changed or new; those of the last commit when there are none. */
export function changedFiles() {
  const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
  const files = [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')]
  return files.length > 0 ? files : git('diff', '--name-only', 'HEAD~1')
}

/**
 * The test files that are nearest to `changed`, at most twelve: changed tests, tests that import a changed file directly or have its
 * name in theirs, and where a file has none of these, the tests named like its folder.
 * @param {readonly string[]} changed paths from `root`
 * @returns {string[]}
 */
export function nearTests(changed, root = '.') {
  const tests = FAST.flatMap((folder) => testsBelow(root, folder))
  const imports = new Map(tests.map((test) => [test, importsOf(root, test)]))
  const near = changed.flatMap((file) => {
    if (TEST.test(file))
      return existsSync(join(root, file)) && FAST.some((folder) => file.startsWith(folder)) ? [file] : []
    if (!/\.(tsx?|mjs)$/.test(file)) return []
    const direct = tests.filter((test) => imports.get(test).has(file))
    const byName = tests.filter((test) => nameOf(test).includes(nameOf(file)))
    const found = [...direct, ...byName]
    return found.length > 0 ? found : namedLikeFolder(file, tests)
  })
  return [...new Set(near)].slice(0, MOST)
}

/** Of the nearest folder that any test is named after: `server/domain/keys/service.ts` has `keys.test.ts` and `keysLive.test.ts`. */
function namedLikeFolder(file, tests) {
  for (let folder = dirname(file); folder.includes('/'); folder = dirname(folder)) {
    const named = tests.filter((test) => nameOf(test).startsWith(nameOf(folder)))
    if (named.length > 0) return named
  }
  return []
}

/** `google-drive` and `googleDrive.test.ts` have the same name. */
function nameOf(path) {
  return basename(path).split('.')[0].replaceAll('-', '').toLowerCase()
}

function testsBelow(root, folder) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => TEST.test(file))
}

function importsOf(root, test) {
  const code = readFileSync(join(root, test), 'utf8')
  const targets = [...code.matchAll(/\bfrom\s*['"](\.[^'"]+)['"]/g)].map(([, target]) => target)
  return new Set(targets.map((target) => normalize(join(dirname(test), target)).replaceAll('\\', '/')))
}
