import { spawn } from 'node:child_process'
import { delimiter, join, resolve } from 'node:path'

/** Path of a package's executable. */
export const bin = (name) => join('node_modules', '.bin', name)

/**
 * Runs a program and captures its output.
 * @returns {Promise<{ code: number, output: string }>} 127 when it could not be started
 */
export function run(command, args, { env = process.env, cwd = process.cwd(), show = false } = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, {
      env: withTools(env),
      cwd,
      stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
    })
    const chunks = []
    child.stdout?.on('data', (chunk) => chunks.push(chunk))
    child.stderr?.on('data', (chunk) => chunks.push(chunk))
    child.on('error', (error) => done({ code: 127, output: error.message }))
    child.on('close', (code) => done({ code: code ?? 1, output: Buffer.concat(chunks).toString() }))
  })
}

/** Installed programs start each other by name (Prisma its generators), as under npm. */
function withTools(env) {
  return { ...env, PATH: [resolve('node_modules', '.bin'), env.PATH].join(delimiter) }
}

/** Like `run`, but throws when the program fails. @throws Error with its output */
export async function mustRun(command, args, options) {
  const { code, output } = await run(command, args, options)
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output}`)
}
