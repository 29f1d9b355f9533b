import { resolve } from 'node:path'

const OLDEST = [20, 19]

/** Changes the working directory to the project; exits with a message if Node is too old. */
export function enterProject() {
  process.chdir(resolve(import.meta.dirname, '../../..'))
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return
  console.error(`Skypool needs Node ${OLDEST.join('.')} or newer; this is ${process.versions.node}.`)
  process.exit(1)
}
