import { enterProject } from './setup/enterProject.mjs'
import { prepareBuild } from './setup/prepare.mjs'
import { addSettingsFile } from './setup/settingsFile.mjs'

/**
 * Called by start.cjs: runs setup steps that are missing or out of date, then serves in this process, or in several (WORKERS), with the
 * settings of the environment and of .env.
 */
enterProject()
const settings = addSettingsFile()
if (settings.length > 0) console.log(`Settings from .env: ${settings.join(', ')}`)
try {
  await prepareBuild()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
await import('../../dist/server/main.cjs')
