import { enterProject } from './setup/enterProject.mjs'
import { compileQueries } from './setup/relay.mjs'

/** `npm run relay`: compiles the queries of the web client. */
enterProject()
try {
  await compileQueries()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
