import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CEPH_FOLDER, unpackCeph } from '../../../server/scripts/setup/ceph.mjs'
import { freePorts, type RealS3Server } from './swift.ts'

const ROOT = resolve(CEPH_FOLDER)
const LIBRARIES = join(ROOT, 'usr/lib/x86_64-linux-gnu')
const POLL_MS = 300
const START_TRIES = 300
/** As in the tests' Swift: smaller parts than the usual 5 MiB, so that tests need no large contents. */
const MIN_PART_BYTES = 64 * 1024

/**
 * Debian's Ceph: one monitor, one storage daemon that keeps everything in memory, and the gateway with the S3 API. A crash is one of the
 * gateway: what the storage daemon holds would be gone with it. Everything is deleted at the end.
 */
export async function startCeph(): Promise<RealS3Server> {
  await unpackCeph()
  const folder = mkdtempSync(join(tmpdir(), 'skypool-ceph-'))
  for (const name of ['mon', 'osd', 'run']) mkdirSync(join(folder, name))
  const [port = 0, monitorPort = 0, ...daemonPorts] = await freePorts(6)
  const fsid = randomUUID()
  writeFileSync(join(folder, 'ceph.conf'), configuration({ folder, fsid, port, monitorPort, daemonPorts }))
  const environment = {
    PATH: [join(ROOT, 'usr/bin'), '/usr/bin', '/bin'].join(delimiter),
    LD_LIBRARY_PATH: [LIBRARIES, join(LIBRARIES, 'ceph'), join(ROOT, 'lib/x86_64-linux-gnu')].join(delimiter),
    PYTHONPATH: join(ROOT, 'usr/lib/python3/dist-packages'),
    CEPH_CONF: join(folder, 'ceph.conf'),
  }
  const daemons: ChildProcess[] = []
  const start = (program: string, args: readonly string[]): ChildProcess => {
    const child = spawn(join(ROOT, 'usr/bin', program), args, { env: environment, stdio: 'ignore' })
    process.once('exit', () => child.kill('SIGKILL'))
    return child
  }
  const run = async (program: string, args: readonly string[]): Promise<{ code: number | null; output: string }> => {
    const child = spawn(join(ROOT, 'usr/bin', program), args, {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data))
    const code = await new Promise<number | null>((done) => child.once('close', done))
    return { code, output }
  }
  /** Until `isDone` for what the program prints. */
  const until = async (program: string, args: readonly string[], isDone: (output: string) => boolean) => {
    let last = ''
    for (let attempt = 0; attempt < START_TRIES; attempt += 1) {
      const { code, output } = await run(program, args)
      if (code === 0 && isDone(output)) return
      last = output
      await sleep(POLL_MS)
    }
    throw new Error(`${program} ${args.join(' ')} did not succeed: ${last}`)
  }
  const anything = () => true
  const ceph = (...args: string[]) => ['--connect-timeout', '5', ...args]
  const close = async () => {
    await Promise.all(daemons.map(stop))
    rmSync(folder, { recursive: true, force: true })
  }
  const startGateway = async () => {
    const gateway = start('radosgw', ['-f', '-n', 'client.rgw'])
    daemons.push(gateway)
    await answers(`http://127.0.0.1:${port}/`, gateway)
    return gateway
  }
  try {
    const map = join(folder, 'run/monmap')
    await until(
      'monmaptool',
      ['--create', '--clobber', '--fsid', fsid, '--addv', 'a', `[v1:127.0.0.1:${monitorPort}]`, map],
      anything,
    )
    await until('ceph-mon', ['--mkfs', '-i', 'a', '--monmap', map], anything)
    daemons.push(start('ceph-mon', ['-f', '-i', 'a']))
    const daemon = randomUUID()
    await until('ceph', ceph('osd', 'new', daemon), anything)
    await until('ceph-osd', ['-i', '0', '--mkfs', '--osd-uuid', daemon], anything)
    await until('ceph', ceph('osd', 'crush', 'add', 'osd.0', '1.0', 'host=h', 'root=default'), anything)
    daemons.push(start('ceph-osd', ['-f', '-i', '0']))
    await until('ceph', ceph('osd', 'stat'), (output) => output.includes('1 up'))
    let gateway = await startGateway()
    const user = { accessKey: 'testkey', secretKey: 'testsecret' }
    const keys = [`--access-key=${user.accessKey}`, `--secret-key=${user.secretKey}`]
    const create = ['-n', 'client.rgw', 'user', 'create', '--uid=tests', '--display-name=tests', ...keys]
    await until('radosgw-admin', create, anything)
    return {
      endpoint: `http://127.0.0.1:${port}`,
      ...user,
      conditions: 'known',
      close,
      async crash() {
        await stop(gateway)
        gateway = await startGateway()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  while (
    !(await fetch(url).then(
      () => true,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error(`radosgw ended with ${child.exitCode} while it started.`)
    await sleep(POLL_MS)
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = new Promise((done) => child.once('close', done))
  child.kill('SIGKILL')
  await closed
}

type Settings = {
  readonly folder: string
  readonly fsid: string
  readonly port: number
  readonly monitorPort: number
  readonly daemonPorts: readonly number[]
}

/** One copy of everything, no authentication between the daemons, no manager. */
function configuration({ folder, fsid, port, monitorPort, daemonPorts }: Settings): string {
  return `[global]
fsid = ${fsid}
mon_host = v1:127.0.0.1:${monitorPort}
mon_initial_members = a
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
ms_bind_msgr2 = false
ms_bind_port_min = ${Math.min(...daemonPorts)}
ms_bind_port_max = ${Math.max(...daemonPorts)}
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
run_dir = ${folder}/run
admin_socket = ${folder}/run/$name.asok
log_file = ${folder}/run/$name.log
pid_file = ${folder}/run/$name.pid
plugin_dir = ${LIBRARIES}/ceph
erasure_code_dir = ${LIBRARIES}/ceph/erasure-code
osd_class_dir = ${LIBRARIES}/rados-classes
mon_data = ${folder}/mon
osd_data = ${folder}/osd
mon_pg_warn_min_per_osd = 0
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 4
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
osd_objectstore = memstore
memstore_device_bytes = 8G
enable_experimental_unrecoverable_data_corrupting_features = *
rgw_frontends = beast endpoint=127.0.0.1:${port}
rgw_multipart_min_part_size = ${MIN_PART_BYTES}
rgw_thread_pool_size = 64
`
}
