// Runs another reference in WORKERS processes on one port, with nothing but node:cluster: what Skypool's WORKERS is compared with.
import cluster from 'node:cluster'

const SCRIPT = process.env.REFERENCE ?? ''

if (cluster.isPrimary) {
  for (let count = 0; count < Number(process.env.WORKERS); count++) cluster.fork()
} else {
  await import(`./${SCRIPT}`)
}
