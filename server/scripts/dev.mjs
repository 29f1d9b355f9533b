import { spawn } from 'node:child_process'
import { watch } from 'node:fs'
import { enterProject } from './setup/enterProject.mjs'
import { prepareSources } from './setup/prepare.mjs'
import { bin, run } from './setup/run.mjs'

/** Many editors save in several steps: queries are compiled once no file has changed for this long. */
const QUIET_MS = 200

/** `npm run dev`: the server on PORT, restarted on every change, and Vite's server with hot reload in front of it. */
enterProject()
await prepareSources()
const server = process.env.SKYPOOL_DEV_SERVER ?? `http://127.0.0.1:${process.env.PORT ?? 3000}`
const children = [
  spawn(bin('tsx'), ['watch', '--clear-screen=false', 'server/main.ts'], { stdio: 'inherit' }),
  spawn(bin('vite'), ['--config', 'web/vite.config.ts'], {
    stdio: 'inherit',
    env: { ...process.env, SKYPOOL_DEV_SERVER: server },
  }),
]
watchQueries()
for (const child of children) child.on('exit', (code) => stop(code ?? 0))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop(0))

/** relay-compiler's watch mode needs Watchman; the client is small enough to compile it completely. */
function watchQueries() {
  let timer
  watch('web', { recursive: true }, (_event, file) => {
    if (!file || !/\.tsx?$/.test(file) || file.includes('__generated__')) return
    clearTimeout(timer)
    timer = setTimeout(compile, QUIET_MS)
  })
}

async function compile() {
  const { code, output } = await run(bin('relay-compiler'), [])
  if (code !== 0) console.error(output)
}

function stop(code) {
  for (const child of children) child.kill('SIGTERM')
  process.exitCode = code
  setTimeout(() => process.exit(code), 15_000).unref()
}
