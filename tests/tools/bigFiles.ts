// npm run big-files -- [--gib 5]: a big file through each upload door and back, compared by SHA-256, while the server's
// memory is sampled and its event loop probed from outside (the latency of /health is never less than the loop's delay).
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { machine, rssMiB } from './bench/measure.ts'
import { Client, type Skypool, startSkypool } from './bench/skypool.ts'

const MIB = 1024 * 1024
const { values } = parseArgs({ options: { gib: { type: 'string', default: '5' } } })
const size = Number(values.gib) * 1024 * MIB

type Door = { readonly name: string; send(client: Client, path: string): Promise<string> }

const doors: readonly Door[] = [
  { name: 'tus', send: sendByTus },
  { name: 'multipart REST', send: sendByRest },
  { name: 'GraphQL multipart', send: sendByGraphql },
]

async function sendByTus(client: Client, path: string): Promise<string> {
  const url = await client.openUpload('tus.bin', size)
  const tus = ['tus-resumable: 1.0.0', 'upload-offset: 0', 'content-type: application/offset+octet-stream', 'expect:']
  const answer = await curl(client, ['-X', 'PATCH', '-D', '-', ...headerArgs(tus), '-T', path, url])
  return required(/^skypool-file-id: (\S+)/im.exec(answer)?.[1], answer)
}

async function sendByRest(client: Client, path: string): Promise<string> {
  const answer = await curl(client, ['-F', `file=@${path};filename=rest.bin`, `${client.url}/api/v1/files`])
  return required((JSON.parse(answer) as { id?: string }).id, answer)
}

async function sendByGraphql(client: Client, path: string): Promise<string> {
  const query =
    'mutation U($file: Upload!) { uploadFile(input: { file: $file }) { __typename ... on UploadFilePayload { file { id } } ... on Error { message } } }'
  const operations = JSON.stringify({ query, variables: { file: null } })
  const fields = [
    '-F',
    `operations=${operations}`,
    '-F',
    'map={"0":["variables.file"]}',
    '-F',
    `0=@${path};filename=graphql.bin`,
  ]
  const answer = await curl(client, ['-H', 'graphql-require-preflight: 1', ...fields, `${client.url}/graphql`])
  return required(/"id":"(file_\w+)"/.exec(answer)?.[1], answer)
}

function required(id: string | undefined, answer: string): string {
  if (!id) throw new Error(`no file id in: ${answer}`)
  return id
}

const headerArgs = (headers: readonly string[]) => headers.flatMap((each) => ['-H', each])

async function curl(client: Client, args: readonly string[]): Promise<string> {
  const credentials = headerArgs([`cookie: ${client.cookie}`, `origin: ${client.url}`])
  const child = spawn('curl', ['-sS', ...credentials, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`curl ended with ${code}: ${output}`)
  return output
}

async function downloadedHash(client: Client, id: string): Promise<string> {
  const url = `${client.url}/api/v1/files/${id}/download`
  const child = spawn('curl', ['-sS', '-f', '-H', `cookie: ${client.cookie}`, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const hash = createHash('sha256')
  for await (const chunk of child.stdout) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** Samples memory and loop latency until stopped. */
function watch(server: Skypool) {
  const idle = rssMiB(server.pid)
  let peak = idle
  const latencies: number[] = []
  const timer = setInterval(() => {
    peak = Math.max(peak, rssMiB(server.pid))
    const startedAt = performance.now()
    get(`${server.url}/health`, (response) => {
      response.resume().on('end', () => latencies.push(performance.now() - startedAt))
    }).on('error', () => latencies.push(Number.POSITIVE_INFINITY))
  }, 50)
  return () => {
    clearInterval(timer)
    latencies.sort((a, b) => a - b)
    return { grownMiB: peak - idle, p99: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN }
  }
}

async function writeSource(path: string): Promise<void> {
  const out = createWriteStream(path)
  const block = randomBytes(8 * MIB)
  for (let written = 0; written < size; written += block.length) {
    block.writeUInt32LE(written / MIB, 0)
    if (!out.write(Buffer.from(block.subarray(0, Math.min(block.length, size - written))))) await once(out, 'drain')
  }
  out.end()
  await once(out, 'close')
}

async function fileHash(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: MIB })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

async function throughDoor(
  server: Skypool,
  client: Client,
  door: Door,
  source: string,
  expected: string,
): Promise<boolean> {
  const stop = watch(server)
  const startedAt = performance.now()
  const id = await door.send(client, source)
  const sentAt = performance.now()
  const equal = (await downloadedHash(client, id)) === expected
  const { grownMiB, p99 } = stop()
  const up = ((sentAt - startedAt) / 1000).toFixed(1)
  const down = ((performance.now() - sentAt) / 1000).toFixed(1)
  const met = equal && grownMiB < 150 && p99 < 100
  const hash = equal ? 'sha256 equal' : 'sha256 DIFFERS'
  console.log(
    `${met ? 'ok  ' : 'MISS'} ${door.name}: ${hash}, up ${up} s, down ${down} s, RSS +${grownMiB.toFixed(0)} MiB (bar 150), event loop p99 ${p99.toFixed(0)} ms (bar 100)`,
  )
  return met
}

const dir = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'skypool-big-'))
chmodSync(dir, 0o755)
const server = await startSkypool({ DATA_DIR: join(dir, 'data'), UPLOAD_TYPES: '*', LOCAL_QUOTA: '1TB' })
try {
  console.log(`${size / MIB} MiB, ${machine()}`)
  const source = join(dir, 'source.bin')
  await writeSource(source)
  const expected = await fileHash(source)
  const client = await Client.signUp(server.url)
  for (const door of doors) {
    if (!(await throughDoor(server, client, door, source, expected))) process.exitCode = 1
  }
} finally {
  await server.stop()
  rmSync(dir, { recursive: true, force: true })
}
