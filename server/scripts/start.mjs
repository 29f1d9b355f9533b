import { enterProject } from './setup/enterProject.mjs'
import { prepareBuild } from './setup/prepare.mjs'

/** Called by start.cjs: runs setup steps that are missing or out of date, then serves in this process, or in several (WORKERS). */
enterProject()
try {
  await prepareBuild()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
await import('../../dist/server/main.cjs')
