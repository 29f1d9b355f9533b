import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from '../../../../server/scripts/setup/bundler.mjs'
import { makeBucket } from '../../../conformance/amazonS3Harness.ts'
import { DAV_LOGIN, DAV_SERVERS, lacksServer } from '../../../fakes/dav/servers.ts'
import { startS3Emulator } from '../../../fakes/s3/emulator.ts'
import { startSwift, whyNoSwift } from '../../../fakes/s3/swift.ts'
import { startSshd, USER, whyNoSshd } from '../../../fakes/sftp/sshd.ts'
import { NODE_FLAGS, START_SETTINGS } from '../../../setup/nodeFlags.ts'
import type { Line } from '../context.ts'
import type { Done, Job, Kind } from '../driverClient.ts'
import { type Contender, interleave, type Result } from '../measure.ts'

const MIB = 1024 * 1024
const SMALL_BYTES = 64 * 1024
/** rclone's own number, and the most concurrent uploads of most drivers. */
const TRANSFERS = 4
const BAR = 0.9
const RCLONE = '/usr/bin/rclone'
const BAR_MIB = 64
/** The files of a job whose memory is compared with that of one after the other. */
const AT_ONCE = 4
/** The drivers run as in the built server: from sources, tsx adds calls to every function. */
const CLIENT = 'dist/bench/driverClient.js'

export type RcloneSizes = {
  readonly dir: string
  readonly rounds: number
  /** Folders with one large file, with several that are as long together, and with many of 64 KiB. */
  readonly large: string
  readonly several: string
  readonly small: string
}

/** A server, and how both clients reach an empty account there. */
type Stage = {
  readonly name: string
  readonly kind: Kind
  readonly credentials: Readonly<Record<string, string>>
  /** Settings of rclone's remote. */
  readonly remote: Readonly<Record<string, string>>
  /** The path of the account's root at that remote. */
  readonly root: string
  close(): Promise<void>
}

/**
 * Row 18: the drivers against rclone, at the same server with the same files, in turn. Both read files from the disk, check that a name
 * is free, send, and ask the server for what it has; downloads are written to the disk. Neither reads back what was sent: rclone's sums
 * by a shell are off, and the server's own check of uploads to services without hashes is not part of the driver. Included is what each
 * needs to begin: rclone starts a process and signs in, while the driver is the one of a server that runs.
 */
export async function rcloneRows(
  { dir, rounds, large, several, small }: RcloneSizes,
  only: readonly string[],
): Promise<Line[]> {
  const lines: Line[] = []
  await bundle('tests/tools/bench/driverClient.ts', CLIENT)
  for (const [kind, open] of Object.entries(STAGES)) {
    if (only.length > 0 && !only.includes(kind)) continue
    const stage = await open(sizeOf(large).bytes)
    const clients = await startClients(stage, dir)
    try {
      for (const folder of [large, small]) {
        for (const direction of ['up', 'down'] as const) {
          const { count, bytes } = sizeOf(folder)
          const what = `${stage.name}, ${count === 1 ? `${bytes / MIB} MiB` : `${count} x ${bytes / count / 1024} KiB`} ${direction}`
          const jobs = { dir, folder, direction, transfers: count === 1 ? 1 : TRANSFERS }
          lines.push(await compare(clients, jobs, rounds, what))
        }
      }
      for (const direction of ['up', 'down'] as const) {
        const memory = await memoryOf(clients, { dir, folder: several, direction })
        lines.push(
          memoryLine(`${stage.name}, ${sizeOf(several).bytes / MIB} MiB in ${AT_ONCE} files ${direction}`, memory),
        )
      }
    } finally {
      clients.close()
      await stage.close()
    }
  }
  return lines
}

function sizeOf(folder: string): { count: number; bytes: number } {
  const names = readdirSync(folder)
  return { count: names.length, bytes: names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) }
}

type Jobs = {
  readonly dir: string
  readonly folder: string
  readonly direction: Job['direction']
  readonly transfers: number
}

async function compare(clients: Clients, jobs: Jobs, rounds: number, what: string): Promise<Line> {
  const { dir, folder, direction, transfers } = jobs
  const expected = sizeOf(folder)
  const target = join(dir, 'received')
  let round = 0
  // What is downloaded was uploaded once before; what is uploaded is deleted at once.
  const kept = 'kept'
  if (direction === 'down') await clients.rclone('copy', folder, `${clients.root}${kept}`)
  const contender = (name: string, run: (remote: string) => Promise<number>): Contender => ({
    name,
    async run() {
      round += 1
      const remote = direction === 'up' ? `round-${round}` : kept
      rmSync(target, { recursive: true, force: true })
      const seconds = await run(remote)
      if (direction === 'up') {
        await clients.expectSame(folder, remote)
        await clients.rclone('purge', `${clients.root}${remote}`)
      } else if (sizeOf(target).bytes !== expected.bytes) throw new Error(`${name} has received another length.`)
      return seconds
    },
  })
  const results = await interleave(
    [
      contender('skypool', async (remote) => {
        const done = await clients.skypool({
          direction,
          folder: direction === 'up' ? folder : target,
          remote,
          transfers,
        })
        if (done.bytes !== expected.bytes) throw new Error(`${done.bytes} of ${expected.bytes} bytes were transferred.`)
        return done.seconds
      }),
      contender('rclone', async (remote) => {
        const there = `${clients.root}${remote}`
        const paths = direction === 'up' ? [folder, there] : [there, target]
        const startedAt = performance.now()
        await clients.rclone('copy', ...paths, '--transfers', String(transfers))
        return (performance.now() - startedAt) / 1000
      }),
    ],
    rounds,
  )
  if (direction === 'down') await clients.rclone('purge', `${clients.root}${kept}`)
  rmSync(target, { recursive: true, force: true })
  return speedLine(what, results)
}

/**
 * How much more memory (MiB) each further transfer takes: what the process loads and compiles for its first one, and the young heap that
 * it fills, are there once, whatever the number of transfers.
 */
async function memoryOf(clients: Clients, { dir, folder, direction }: Omit<Jobs, 'transfers'>): Promise<number> {
  const target = join(dir, 'received')
  const peaks: number[] = []
  for (const transfers of [1, AT_ONCE]) {
    const remote = direction === 'up' ? `memory-${transfers}` : 'memory'
    if (direction === 'down' && transfers === 1) await clients.rclone('copy', folder, `${clients.root}${remote}`)
    rmSync(target, { recursive: true, force: true })
    const job = { direction, folder: direction === 'up' ? folder : target, remote, transfers, isMemory: true }
    peaks.push((await clients.skypool(job)).peakBytes)
    if (direction === 'up' || transfers > 1) await clients.rclone('purge', `${clients.root}${remote}`)
  }
  rmSync(target, { recursive: true, force: true })
  const [one = 0, several = 0] = peaks
  return (several - one) / (AT_ONCE - 1) / MIB
}

function speedLine(what: string, results: readonly Result[]): Line {
  const [ours, theirs] = ['skypool', 'rclone'].map((name) => results.find((each) => each.name === name))
  if (!ours || !theirs) throw new Error('There are no results.')
  const ratio = theirs.median.seconds / ours.median.seconds
  const told = results.map(
    ({ name, median: { seconds }, min, max }) =>
      `${name} ${seconds.toFixed(2)} s (${min.toFixed(2)}..${max.toFixed(2)})`,
  )
  return {
    row: 18,
    measure: `${what} (rclone)`,
    figure: `${ratio.toFixed(2)}  [${told.join(', ')}]`,
    bar: BAR.toFixed(2),
    goal: '1.00',
    met: ratio >= BAR,
  }
}

function memoryLine(what: string, peak: number): Line {
  return {
    row: 18,
    measure: `${what}: memory of each further transfer`,
    figure: `${peak.toFixed(0)} MiB`,
    bar: `${BAR_MIB} MiB`,
    goal: '-',
    met: peak < BAR_MIB,
  }
}

type Clients = {
  readonly root: string
  rclone(...args: string[]): Promise<string>
  skypool(job: Job): Promise<Exclude<Done, { error: string }>>
  /** @throws when a folder of the account has other files than a local one, by names and sizes */
  expectSame(folder: string, remote: string): Promise<void>
  close(): void
}

async function startClients({ kind, credentials, remote, root }: Stage, dir: string): Promise<Clients> {
  const config = join(dir, 'rclone.conf')
  const settings = Object.entries(remote).map(([name, value]) => `${name} = ${value}\n`)
  writeFileSync(config, `[bench]\n${settings.join('')}`)
  // With the settings of a server's process, in package.json too.
  const child = fork(CLIENT, [kind, JSON.stringify(credentials)], {
    execArgv: [
      ...NODE_FLAGS,
      '--require',
      fileURLToPath(new URL('../../../../server/processSettings.cjs', import.meta.url)),
    ],
    env: { ...process.env, ...START_SETTINGS },
  })
  await once(child, 'message')
  const rclone = (...args: string[]) => runRclone(['--config', config, ...args])
  return {
    root: `bench:${root}`,
    rclone,
    skypool: (job) => ask(child, job),
    async expectSame(folder, name) {
      const listed: { Name: string; Size: number }[] = JSON.parse(await rclone('lsjson', `bench:${root}${name}`))
      const wrong = listed.filter(({ Name, Size }) => statSync(join(folder, Name)).size !== Size)
      if (wrong.length > 0 || listed.length !== readdirSync(folder).length) throw new Error('Not all files were sent.')
    },
    close: () => void child.kill(),
  }
}

async function ask(child: ChildProcess, job: Job): Promise<Exclude<Done, { error: string }>> {
  child.send(job)
  const [done] = (await once(child, 'message')) as [Done]
  if ('error' in done) throw new Error(done.error)
  return done
}

async function runRclone(args: readonly string[]): Promise<string> {
  // Without the settings of the machine: its S3 client fails where AWS_CA_BUNDLE is set.
  const env = { PATH: process.env.PATH, HOME: tmpdir() }
  const child = spawn(RCLONE, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [said, complained] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complained += text
  })
  const [code] = await once(child, 'close')
  if (code === 0) return said
  throw new Error(`rclone ${args[2]}: ${complained}`)
}

const STAGES: Readonly<Record<Kind, (bytes: number) => Promise<Stage>>> = {
  async sftp(bytes) {
    refuse(whyNoSshd())
    const sshd = await startSshd({ diskBytes: 3 * bytes + 512 * MIB, hasFaults: false })
    const { port, fingerprint, home } = sshd
    const folder = join(home, 'files')
    await sshd.run(`mkdir '${folder}'`)
    const privateKey = sshd.addKey()
    return {
      name: 'SFTP (OpenSSH)',
      kind: 'sftp',
      credentials: { host: '127.0.0.1', port: String(port), user: USER, privateKey, fingerprint, folder },
      remote: {
        type: 'sftp',
        host: '127.0.0.1',
        port: String(port),
        user: USER,
        key_pem: privateKey.trim().replaceAll('\n', '\\n'),
        disable_hashcheck: 'true',
      },
      root: `${folder}/`,
      close: () => sshd.close(),
    }
  },
  async webdav() {
    refuse(lacksServer('apache'))
    const dav = await DAV_SERVERS.apache()
    const url = `http://127.0.0.1:${dav.port}${encodeURI(dav.newFolder().path)}`
    const pass = (await runRclone(['--config', '/dev/null', 'obscure', DAV_LOGIN.password])).trim()
    return {
      name: 'WebDAV (Apache)',
      kind: 'webdav',
      credentials: { root: url, ...DAV_LOGIN, subject: 'ann', flavour: 'PLAIN', destination: 'ADDRESS' },
      remote: { type: 'webdav', url, vendor: 'other', user: DAV_LOGIN.user, pass },
      root: '',
      close: () => dav.close(),
    }
  },
  async 'amazon-s3'() {
    const isSwift = whyNoSwift() === null
    const server = await (isSwift ? startSwift() : startS3Emulator())
    const { name, credentials } = await makeBucket(server)
    const { endpoint, accessKey, secretKey } = server
    const texts = Object.entries(credentials).flatMap(([key, value]) => (value === null ? [] : [[key, value]]))
    return {
      name: isSwift ? 'S3 (Swift)' : 'S3 (emulated)',
      kind: 'amazon-s3',
      credentials: Object.fromEntries(texts),
      remote: {
        type: 's3',
        provider: 'Other',
        endpoint,
        access_key_id: accessKey,
        secret_access_key: secretKey,
        region: 'us-east-1',
        force_path_style: 'true',
      },
      root: `${name}/`,
      close: () => server.close(),
    }
  },
}

function refuse(reason: string | null): void {
  if (reason !== null) throw new Error(reason)
}

/** The files of one round: a large one, several that are as long together, and many small ones. */
export function writeFiles(
  dir: string,
  megabytes: number,
  count: number,
  write: (path: string, bytes: number) => void,
) {
  const [large, several, small] = [join(dir, 'large'), join(dir, 'several'), join(dir, 'small')]
  for (const folder of [large, several, small]) mkdirSync(folder, { recursive: true })
  write(join(large, 'large.bin'), megabytes * MIB)
  for (let at = 0; at < AT_ONCE; at += 1) write(join(several, `${at}.bin`), (megabytes * MIB) / AT_ONCE)
  for (let at = 0; at < count; at += 1) write(join(small, `small ${at}.bin`), SMALL_BYTES)
  return { large, several, small }
}
