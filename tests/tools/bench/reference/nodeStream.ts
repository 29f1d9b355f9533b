// The least a Node server can do: streams with the default buffers, PUT made durable by fsync. No sessions, no rows.
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

const root = process.env.ROOT ?? '.'

async function put(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
  await pipeline(request, createWriteStream(path, { flush: true }))
  response.writeHead(201).end()
}

async function get(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
  const { size, isFile } = look(path)
  if (!isFile) return void response.writeHead(404).end()
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
  const start = Number(range?.[1] ?? 0)
  const end = Number(range?.[2] ?? size - 1)
  response.writeHead(range ? 206 : 200, { 'content-length': end - start + 1 })
  await pipeline(createReadStream(path, { start, end }), response)
}

function look(path: string) {
  const stats = statSync(path)
  return { size: stats.size, isFile: stats.isFile() }
}

createServer((request, response) => {
  const path = join(root, basename(new URL(request.url ?? '/', 'http://localhost').pathname) || '.')
  const done = request.method === 'PUT' ? put(request, response, path) : get(request, response, path)
  done.catch(() => response.destroy())
}).listen(Number(process.env.PORT), '127.0.0.1')
