import { enterProject } from './setup/enterProject.mjs'
import { prepareBuild } from './setup/prepare.mjs'

/** By start.cjs: does whatever set-up is missing or out of date, then serves, in this same process. */
enterProject()
try {
  await prepareBuild()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
await import('../../dist/server/app.js')
