import { spawn } from 'node:child_process'
import { enterProject } from '../../server/scripts/setup/enterProject.mjs'
import { prepareBuild, prepareSources } from '../../server/scripts/setup/prepare.mjs'
import { bin } from '../../server/scripts/setup/run.mjs'

/**
 * `withBuild.mjs <script.ts> [arguments]`: runs a script that needs the built server, after building what is out of date.
 * `withBuild.mjs --sources <script.ts>`: for a script that runs from the sources.
 */
enterProject()
const sources = process.argv[2] === '--sources'
try {
  await (sources ? prepareSources() : prepareBuild())
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
const child = spawn(bin('tsx'), process.argv.slice(sources ? 3 : 2), { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.on('exit', (code) => process.exit(code ?? 1))
