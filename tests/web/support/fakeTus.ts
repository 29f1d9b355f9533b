import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type FakeUpload = { readonly metadata: Record<string, string>; readonly size: number; bytes: Buffer }

/** Makes the next matching requests go wrong: answer `status` with `body`, or hang up after some bytes (`cut`). */
export type Fault = { readonly method: string; readonly status?: number; readonly body?: string; readonly cut?: true }

/** A tus server of some 60 lines that behaves as ours does towards a client: names, faults and all in memory. */
export async function startFakeTus() {
  const uploads = new Map<string, FakeUpload>()
  const files: { readonly name: string; readonly bytes: Buffer; readonly metadata: Record<string, string> }[] = []
  const requests: { readonly method: string; readonly url: string; readonly key: string | undefined }[] = []
  const faults: Fault[] = []
  /** Folders that are in the trash: their files go to the root. */
  const gone = new Set<string>()
  const gate = { open: Promise.resolve() }
  let atOnce = 0
  let mostAtOnce = 0

  const finish = (upload: FakeUpload, response: ServerResponse) => {
    const name = upload.metadata.filename ?? ''
    files.push({ name, bytes: upload.bytes, metadata: upload.metadata })
    response.setHeader('Skypool-File-Id', `file_${files.length}`)
    const { parentId } = upload.metadata
    if (parentId && !gone.has(parentId)) response.setHeader('Skypool-Parent-Id', parentId)
  }

  const create = async (request: IncomingMessage, response: ServerResponse) => {
    const metadata = parseMetadata(request.headers['upload-metadata'])
    const taken = files.some(({ name }) => name === metadata.filename)
    const bytes = await read(request)
    if (taken && metadata.onConflict === 'FAIL') return problem(response, 409, 'NAME_TAKEN')
    const id = `/uploads/${uploads.size + 1}`
    const upload = { metadata, size: Number(request.headers['upload-length']), bytes }
    uploads.set(id, upload)
    if (bytes.length === upload.size) finish(upload, response)
    response.writeHead(201, { Location: id, 'Upload-Offset': String(bytes.length) }).end()
  }

  const append = async (request: IncomingMessage, response: ServerResponse, upload: FakeUpload) => {
    const cut = faults[0]?.method === 'PATCH' && faults[0].cut
    if (cut) faults.shift()
    upload.bytes = Buffer.concat([upload.bytes, await read(request, cut ? 1024 : undefined)])
    if (cut) return request.socket.destroy()
    if (upload.bytes.length === upload.size) finish(upload, response)
    response.writeHead(204, { 'Upload-Offset': String(upload.bytes.length) }).end()
  }

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '' } = request
    requests.push({ method, url, key: request.headers['idempotency-key'] as string | undefined })
    await gate.open
    const fault = faults.find((candidate) => candidate.method === method && !candidate.cut)
    if (fault) {
      faults.splice(faults.indexOf(fault), 1)
      await read(request)
      return response.writeHead(fault.status ?? 500).end(fault.body ?? '')
    }
    if (method === 'POST') return create(request, response)
    const upload = uploads.get(url)
    if (!upload) return response.writeHead(404).end()
    if (method === 'PATCH') return append(request, response, upload)
    if (method === 'DELETE') uploads.delete(url)
    const offset = { 'Upload-Offset': String(upload.bytes.length), 'Upload-Length': String(upload.size) }
    return response.writeHead(method === 'HEAD' ? 200 : 204, offset).end()
  }

  const server = createServer((request, response) => {
    mostAtOnce = Math.max(mostAtOnce, ++atOnce)
    response.on('close', () => {
      atOnce -= 1
    })
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    origin,
    endpoint: `${origin}/uploads`,
    uploads,
    files,
    requests,
    faults,
    gone,
    gate,
    mostAtOnce: () => mostAtOnce,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

function problem(response: ServerResponse, status: number, code: string): void {
  const body = JSON.stringify({ status, code, detail: `Said by the server: ${code}` })
  response.writeHead(status, { 'Content-Type': 'application/problem+json' }).end(body)
}

async function read(request: IncomingMessage, most = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= most) break
  }
  return Buffer.concat(chunks).subarray(0, most)
}

function parseMetadata(header: string | string[] | undefined): Record<string, string> {
  const pairs = String(header ?? '').split(',')
  return Object.fromEntries(
    pairs.map((pair) => {
      const [key = '', value = ''] = pair.trim().split(' ')
      return [key, Buffer.from(value, 'base64').toString('utf8')]
    }),
  )
}
