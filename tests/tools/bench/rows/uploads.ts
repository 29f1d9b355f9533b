import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parsePublicId } from '../../../../server/lib/ids.ts'
import type { Bench, Line } from '../context.ts'
import { interleave } from '../measure.ts'
import { ratioLine } from '../report.ts'
import { curl } from '../skypool.ts'

const MIB = 1024 * 1024
/** Other work of the machine changes the time of a single upload by a factor of two. */
const BIG_ROUNDS = 7
const SMALL_FILES = 1000
const SMALL_ROUNDS = 9
/** A process that has stored a few thousand files only is still being compiled; what a server does all day is what comes after. */
const SMALL_WARM_UP = 6
export const SMALL_BYTES = 64 * 1024

type WithClient = Pick<Bench, 'client'>

/** Sends a whole file as one PATCH; seconds. */
export async function putByTus(bench: WithClient, uploadUrl: string, path: string): Promise<number> {
  const ours = uploadUrl.startsWith(bench.client.url)
  const credentials = ours ? ['-H', `cookie: ${bench.client.cookie}`, '-H', `origin: ${bench.client.url}`] : []
  const tus = [
    '-H',
    'tus-resumable: 1.0.0',
    '-H',
    'upload-offset: 0',
    '-H',
    'content-type: application/offset+octet-stream',
  ]
  return curl(['-X', 'PATCH', '-H', 'expect:', ...tus, ...credentials, '-T', path, uploadUrl], { status: 204 })
}

/** Rows 4 and 5 of the targets: one file of 1 GiB, resumable; 1,000 files of 64 KiB by 16 connections. */
export async function uploadRows(bench: Bench, bigFile: string): Promise<Line[]> {
  return [...(await bigUpload(bench, bigFile)), await smallUploads(bench)]
}

/** All remove what they have stored after each round: a virtual machine gets memory that was just freed much faster than other memory. */
async function bigUpload(bench: Bench, path: string): Promise<Line[]> {
  const size = 1024 * MIB
  const put = (url: string) => curl(['-H', 'expect:', '-T', path, url], { status: 201 })
  const removing = (name: string) => rmSync(join(bench.referenceRoot, name))
  const results = await interleave(
    [
      {
        name: 'skypool',
        pid: bench.skypool.pid,
        run: async () => {
          const uploadUrl = await bench.client.openUpload(`${crypto.randomUUID()}.bin`, size)
          const seconds = await putByTus(bench, uploadUrl, path)
          await removeUploaded(bench, uploadUrl)
          return seconds
        },
      },
      {
        name: 'nginx',
        pid: bench.nginx.pid,
        run: async () => {
          const seconds = await put(`${bench.nginx.url}/put.bin`)
          removing('put.bin')
          return seconds
        },
      },
      {
        name: 'node',
        pid: bench.node.pid,
        run: async () => {
          const seconds = await put(`${bench.node.url}/put-node.bin`)
          removing('put-node.bin')
          return seconds
        },
      },
      {
        name: 'tus',
        pid: bench.tus.pid,
        run: async () => {
          const uploadUrl = await openReferenceUpload(bench, size)
          const seconds = await putByTus(bench, uploadUrl, path)
          await remove(uploadUrl, { 'tus-resumable': '1.0.0' })
          return seconds
        },
      },
    ],
    Math.max(bench.rounds, BIG_ROUNDS),
  )
  return [
    ratioLine(4, 'PUT 1 GiB, resumable', results, { against: 'nginx', bar: 0.4, goal: 0.48 }),
    ratioLine(4, 'PUT 1 GiB, resumable', results, { against: 'tus', bar: 0.85, goal: 1 }),
    ratioLine(4, 'PUT 1 GiB, resumable', results, { against: 'node', bar: 0, goal: 1 }),
  ]
}

/** Permanently deletes what an upload has become; resolves when its bytes are deleted too. */
async function removeUploaded({ client, pool }: Bench, uploadUrl: string): Promise<void> {
  const { fileId } = await client.json<{ fileId: string }>(new URL(uploadUrl).pathname)
  await remove(`${client.url}/api/v1/files/${fileId}?permanent=true`, client.headers)
  const id = parsePublicId(fileId)?.id
  while ((await pool.query('select from files where id = $1', [id])).rowCount !== 0) await sleep(20)
}

async function remove(url: string, headers: Record<string, string>): Promise<void> {
  const { status } = await fetch(url, { method: 'DELETE', headers })
  if (status !== 204) throw new Error(`DELETE ${url} answered ${status}`)
}

async function openReferenceUpload(bench: Bench, size: number): Promise<string> {
  const headers = { 'tus-resumable': '1.0.0', 'upload-length': String(size) }
  const response = await fetch(bench.tus.url, { method: 'POST', headers })
  const location = response.headers.get('location')
  if (!location) throw new Error(`@tus/server answered ${response.status}`)
  return new URL(location, bench.tus.url).href
}

/** Of a file that was not there: writing over one is less work. */
const newName = () => `small-${crypto.randomUUID()}.bin`

async function smallUploads(bench: Bench): Promise<Line> {
  const bytes = randomBytes(SMALL_BYTES)
  const results = await interleave(
    [
      {
        name: 'skypool',
        pid: bench.skypool.pid,
        run: () => many(SMALL_FILES, (index) => postSmall(bench, bytes, index)),
      },
      {
        name: 'node',
        pid: bench.node.pid,
        run: () => many(SMALL_FILES, () => send('PUT', `${bench.node.url}/${newName()}`, bytes, {})),
      },
      {
        name: 'nginx',
        pid: bench.nginx.pid,
        run: () => many(SMALL_FILES, () => send('PUT', `${bench.nginx.url}/${newName()}`, bytes, {})),
      },
    ],
    Math.max(bench.rounds, SMALL_ROUNDS),
    { warmUp: SMALL_WARM_UP },
  )
  return ratioLine(5, '1,000 x 64 KiB, 16 connections', results, { against: 'node', bar: 0.35, goal: 0.7 })
}

/** Seconds for so many requests by 16 workers. */
export async function many(count: number, one: (index: number) => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  let next = 0
  const worker = async () => {
    while (next < count) await one(next++)
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  return (performance.now() - startedAt) / 1000
}

/** One multipart upload, into the default group cloud unless told. */
export function postSmall(bench: WithClient, bytes: Buffer, index: number, groupCloudId?: string): Promise<void> {
  const boundary = 'skypool-bench'
  const cloud = groupCloudId
    ? `--${boundary}\r\ncontent-disposition: form-data; name="groupCloudId"\r\n\r\n${groupCloudId}\r\n`
    : ''
  const head = `${cloud}--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${crypto.randomUUID()}-${index}.bin"\r\ncontent-type: application/octet-stream\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])
  const headers = { ...bench.client.headers, 'content-type': `multipart/form-data; boundary=${boundary}` }
  return send('POST', `${bench.client.url}/api/v1/files`, body, headers)
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

function send(method: string, url: string, body: Buffer, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method, agent, headers: { ...headers, 'content-length': body.length } },
      (response) => {
        response.resume().on('end', () => {
          if (response.statusCode === 201 || response.statusCode === 204) resolve()
          else reject(new Error(`${method} ${url} answered ${response.statusCode}`))
        })
      },
    )
    outgoing.on('error', reject).end(body)
  })
}
