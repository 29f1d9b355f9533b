import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { SWIFT_FOLDER } from '../../../server/scripts/setup/swift.mjs'

/** A service with the S3 API on loopback. */
export type S3Server = {
  readonly endpoint: string
  readonly accessKey: string
  readonly secretKey: string
  /** Whether a write can require that nothing is overwritten. */
  readonly conditions: 'known' | 'none'
  close(): Promise<void>
}

/** A store that is in use elsewhere, not an emulator of ours. */
export type RealS3Server = S3Server & {
  /** SIGKILL to what answers, and started again on the same ports. What it has acknowledged is there. */
  crash(): Promise<void>
}

const ROOT = resolve(SWIFT_FOLDER)
const PYTHON = '/usr/bin/python3'

/** Why Swift cannot be started; null when it can. */
export function whyNoSwift(): string | null {
  if (!existsSync(PYTHON)) return 'Python is not installed.'
  return existsSync(join(ROOT, 'usr/bin/swift-ring-builder')) ? null : 'Swift is unpacked only as root on Debian.'
}

/** Smaller parts than Swift's usual 5 MiB, so that tests need no large contents. */
const MIN_PART_BYTES = 64 * 1024

const STORAGE = ['account', 'container', 'object'] as const

/** Debian's OpenStack Swift with its S3 API: it verifies signatures, MD5 sums and parts. Its data is deleted at the end. */
export async function startSwift(): Promise<RealS3Server> {
  const folder = mkdtempSync(join(tmpdir(), 'skypool-swift-'))
  const [proxyPort, ...storagePorts] = await freePorts(4)
  for (const name of ['etc', 'srv/d1']) mkdirSync(join(folder, name), { recursive: true })
  const etc = join(folder, 'etc')
  writeFileSync(join(etc, 'swift.conf'), SWIFT_CONF)
  for (const [index, name] of STORAGE.entries())
    writeFileSync(join(etc, `${name}.conf`), storageConf(folder, name, storagePorts[index] ?? 0))
  await makeRings(etc, storagePorts)
  writeFileSync(join(etc, 'proxy.conf'), proxyConf(folder, proxyPort ?? 0))
  const start = () => [...STORAGE, 'proxy'].map((name) => startServer(etc, name))
  let processes = start()
  const ready = () =>
    Promise.all([proxyPort, ...storagePorts].map((port) => isReady(`http://127.0.0.1:${port}`, processes)))
  const close = async (): Promise<void> => {
    await Promise.all(processes.map(stop))
    rmSync(folder, { recursive: true, force: true })
  }
  const endpoint = `http://127.0.0.1:${proxyPort}`
  try {
    await ready()
  } catch (error) {
    await close()
    throw error
  }
  async function crash(): Promise<void> {
    await Promise.all(processes.map(stop))
    processes = start()
    await ready()
  }
  return { endpoint, accessKey: 'test:tester', secretKey: 'testing', conditions: 'none', crash, close }
}

const environment = {
  PATH: '/usr/bin:/bin',
  PYTHONPATH: join(ROOT, 'usr/lib/python3/dist-packages'),
  LD_LIBRARY_PATH: `${join(ROOT, 'usr/lib/x86_64-linux-gnu')}:${join(ROOT, 'usr/lib/aarch64-linux-gnu')}:${join(ROOT, 'usr/lib')}`,
}

function startServer(etc: string, name: string): ChildProcess {
  const conf = join(etc, `${name}.conf`)
  const code = [
    'import sys',
    `sys.argv = ['swift-${name}-server', ${JSON.stringify(conf)}]`,
    'import swift.common.utils as utils',
    `utils.SWIFT_CONF_FILE = ${JSON.stringify(join(etc, 'swift.conf'))}`,
    ...(name === 'proxy' ? [MEMCACHE] : []),
    'from swift.common.wsgi import run_wsgi',
    `sys.exit(run_wsgi(${JSON.stringify(conf)}, '${name}-server'))`,
  ].join('\n')
  const child = spawn(PYTHON, ['-c', code], { env: environment, stdio: 'ignore' })
  process.once('exit', () => child.kill('SIGKILL'))
  return child
}

/**
 * What the proxy knows of accounts and containers, it keeps in memcached, which no test starts: it would ask their servers before each
 * request again. So it keeps that in its own memory, for as long as it would be in memcached. What is not there, it asks for again: while
 * the servers start, they say that of everything.
 */
const MEMCACHE = `
import json, time as clock
from swift.common.memcached import MemcacheRing
kept = {}
def set_kept(self, key, value, serialize=True, time=0, **more):
    if not isinstance(value, dict) or value.get('status', 200) // 100 == 2:
        kept[key] = (clock.time() + time if time else None, json.dumps(value))
def get_kept(self, key, **more):
    until, value = kept.get(key, (0, None))
    if until is not None and until <= clock.time():
        return None
    return json.loads(value)
def delete_kept(self, key, **more):
    kept.pop(key, None)
MemcacheRing.set, MemcacheRing.get, MemcacheRing.delete = set_kept, get_kept, delete_kept
`

/** As `swift-ring-builder` makes them, in one process: loading Swift takes most of the time. */
const RINGS = `
import os, sys
from swift.common.ring import RingBuilder
folder, *given = sys.argv[1:]
for name, port in zip(given[::2], given[1::2]):
    builder = RingBuilder(4, 1, 1)
    address = {'ip': '127.0.0.1', 'port': int(port), 'replication_ip': '127.0.0.1', 'replication_port': int(port)}
    builder.add_dev({'region': 1, 'zone': 1, 'device': 'd1', 'weight': 1.0, 'meta': '', **address})
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, name + '.ring.gz'))
`

async function makeRings(etc: string, ports: readonly number[]): Promise<void> {
  const rings = STORAGE.flatMap((name, index) => [name, String(ports[index])])
  const child = spawn(PYTHON, ['-c', RINGS, etc, ...rings], { env: environment, stdio: 'ignore' })
  const code = await new Promise<number | null>((done) => child.once('close', done))
  if (code !== 0) throw new Error(`The rings of Swift were not made: ${code}.`)
}

async function isReady(endpoint: string, processes: readonly ChildProcess[]): Promise<void> {
  for (;;) {
    const answered = await fetch(endpoint).then(
      () => true,
      () => false,
    )
    if (answered) return
    if (processes.some(({ exitCode }) => exitCode !== null)) throw new Error('Swift ended while it started.')
    await new Promise((done) => setTimeout(done, 100))
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = new Promise((done) => child.once('close', done))
  child.kill('SIGKILL')
  await closed
}

/** Ports that are free now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer()
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
      return server
    }),
  )
  return Promise.all(
    servers.map(async (server) => {
      const address = server.address()
      await new Promise((done) => server.close(done))
      return typeof address === 'object' && address ? address.port : 0
    }),
  )
}

const SWIFT_CONF = `[swift-hash]
swift_hash_path_suffix = tests
swift_hash_path_prefix = tests
[storage-policy:0]
name = Policy-0
default = yes
`

const storageConf = (folder: string, name: string, port: number): string => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
devices = ${folder}/srv
mount_check = false
swift_dir = ${folder}/etc
user = root
log_level = WARNING
[pipeline:main]
pipeline = ${name}-server
[app:${name}-server]
use = egg:swift#${name}
`

const proxyConf = (folder: string, port: number): string => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
swift_dir = ${folder}/etc
user = root
log_level = WARNING
[pipeline:main]
pipeline = catch_errors cache listing_formats bulk s3api tempauth slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
allow_account_management = true
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
location = us-east-1
min_segment_size = ${MIN_PART_BYTES}
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
user_test_second = second-secret .admin
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
`
