import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { PGBOUNCER_FOLDER } from './pgbouncer.mjs'

/** Of each kind of request, and one journey in a browser: they ask the servers over HTTP and look at nothing else. */
const SUITES = [
  'tests/server/filesRest.test.ts',
  'tests/server/graphqlConnections.test.ts',
  'tests/server/graphqlUpload.test.ts',
  'tests/server/tusClient.test.ts',
  'tests/server/shares.test.ts',
  'tests/server/transfersGraphql.test.ts',
  'tests/server/graphqlSubscriptions.test.ts',
  'tests/e2e/journey.test.ts',
]

/** Three servers, one of which is killed in each suite; see tests/setup/fleet.ts. */
const ENVIRONMENT = { SERVERS: '3', SERVERS_KILLS: '1' }

/**
 * Runs a selection of the tests once more, against three servers behind nginx. Without nginx, they are left out with a note.
 * @template Result
 * @param {(files: readonly string[], env: NodeJS.ProcessEnv) => Promise<Result>} run
 * @returns {Promise<Result | null>}
 */
export async function testSeveralServers(run) {
  if (spawnSync('nginx', ['-v']).status !== 0) {
    console.log('nginx is not installed: the tests with three servers are left out.')
    return null
  }
  const isPooled = existsSync(PGBOUNCER_FOLDER)
  const reached = isPooled ? ' and reaching their database through PgBouncer' : ''
  console.log(`\nOnce more, with three servers behind nginx${reached}, one of which is killed in each suite`)
  return run(SUITES, { ...ENVIRONMENT, ...(isPooled && { PGBOUNCER: '1' }) })
}
