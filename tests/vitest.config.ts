import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { relay } from '../web/viteRelay.ts'
import { SlowestFirst } from './setup/slowestFirst.ts'

const root = resolve(import.meta.dirname, '..')
/** Packages that Node loads by itself take the CommonJS build; ours must be the same one, or no type is recognised. */
const ONE_GRAPHQL = { graphql: resolve(root, 'node_modules/graphql/index.js') }
const RELAY_PACKAGES = ['react-relay', 'relay-runtime', 'relay-test-utils']
/** Has a build for browsers and one for Node: what ships is tested. */
const BROWSER_BUILDS = { 'tus-js-client': 'tus-js-client/lib.esm/browser/index.js' }
/** Tests wait as much as they compute: for disks, processes, pages and clocks. */
const maxWorkers = availableParallelism() + 1
/** A machine with other work may be slow to get somewhere: these only end what would never end by itself. */
const PATIENCE_MS = 300_000
const patient = { poll: { timeout: 120_000 } }
/** Loading the server takes a second: files of these projects share a process and what it has loaded. Databases and servers are theirs alone. */
const shared = {
  isolate: false,
  // Every core has a test of its own: helpers of the garbage collector would only take turns with them.
  execArgv: ['--single-threaded-gc'],
}
/** The few suites that run against several servers mostly wait: those in a browser need no turn after the others. */
const AFTER_OTHERS = Number(process.env.SERVERS || 1) > 1 ? 0 : 1
/** Judges how fast a page draws: nothing else may run. */
const ALONE = ['tests/e2e/longList.test.ts']

export default defineConfig({
  root,
  test: {
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        root,
        resolve: { alias: ONE_GRAPHQL },
        test: {
          name: 'server',
          ...shared,
          maxWorkers,
          include: ['tests/server/**/*.test.ts'],
          environment: 'node',
          globalSetup: ['tests/setup/postgres.ts'],
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
          expect: patient,
        },
      },
      {
        root,
        plugins: [relay('web/__generated__'), react()],
        resolve: { alias: BROWSER_BUILDS },
        test: {
          name: 'web',
          // Class names of CSS modules are what the module calls them.
          css: { modules: { classNameStrategy: 'non-scoped' } },
          maxWorkers,
          include: ['tests/web/**/*.test.{ts,tsx}'],
          environment: 'happy-dom',
          setupFiles: ['tests/setup/web.ts'],
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
          server: { deps: { inline: [...RELAY_PACKAGES, ...Object.keys(BROWSER_BUILDS)] } },
        },
      },
      {
        root,
        test: {
          name: 'conformance',
          ...shared,
          expect: patient,
          maxWorkers,
          include: ['tests/conformance/**/*.test.ts'],
          environment: 'node',
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
        },
      },
      {
        root,
        resolve: { alias: ONE_GRAPHQL },
        test: {
          name: 'acceptance',
          ...shared,
          expect: patient,
          maxWorkers,
          include: ['tests/acceptance/**/*.test.ts'],
          environment: 'node',
          globalSetup: ['tests/setup/postgres.ts'],
          // Megabytes through throttled accounts: not beside a thousand other tests.
          sequence: { groupOrder: 2 },
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
        },
      },
      {
        root,
        resolve: { alias: ONE_GRAPHQL },
        test: {
          name: 'arch',
          maxWorkers,
          include: ['tests/arch/**/*.test.ts'],
          environment: 'node',
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
        },
      },
      {
        root,
        resolve: { alias: ONE_GRAPHQL },
        test: {
          name: 'e2e',
          ...shared,
          expect: patient,
          include: ['tests/e2e/**/*.test.ts'],
          exclude: ALONE,
          environment: 'node',
          globalSetup: ['tests/setup/postgres.ts'],
          // After all others: each has a browser and a server of its own.
          sequence: { groupOrder: AFTER_OTHERS },
          maxWorkers,
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
        },
      },
      {
        root,
        resolve: { alias: ONE_GRAPHQL },
        test: {
          name: 'alone',
          expect: patient,
          include: ALONE,
          environment: 'node',
          globalSetup: ['tests/setup/postgres.ts'],
          sequence: { groupOrder: 3 },
          maxWorkers: 1,
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
        },
      },
      {
        root,
        resolve: { alias: ONE_GRAPHQL },
        test: {
          name: 'spec',
          ...shared,
          include: ['tests/spec/**/*.test.ts'],
          environment: 'node',
          globalSetup: ['tests/setup/postgres.ts'],
          sequence: { groupOrder: AFTER_OTHERS },
          maxWorkers,
          testTimeout: PATIENCE_MS,
          expect: patient,
          hookTimeout: PATIENCE_MS,
        },
      },
    ],
  },
})
