import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startTestServer } from '../setup/server.ts'

it('a server that stops lets a request end that is under way', async () => {
  const server = await startTestServer({}, { single: true })
  const { hostname, port } = new URL(server.url)
  const body = JSON.stringify({ email: 'nobody@example.org', password: 'no such password' })
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const head = ['POST /api/v1/auth/login HTTP/1.1', `Host: ${hostname}:${port}`, 'Content-Type: application/json']
  socket.write(`${[...head, `Content-Length: ${body.length}`, '', ''].join('\r\n')}${body.slice(0, 10)}`)
  await sleep(100)

  const closed = server.close()
  await sleep(100)
  const answer = once(socket, 'data')
  socket.write(body.slice(10))
  expect(String((await answer)[0])).toMatch(/^HTTP\/1\.1 401 /)
  socket.destroy()
  await closed
})

it('what is asked of a server that stops is refused with 503, Retry-After and Connection: close', async () => {
  const server = await startTestServer({}, { single: true })
  const { hostname, port } = new URL(server.url)
  const open = async () => {
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    return socket
  }
  const [busy, waiting] = [await open(), await open()]
  const head = ['POST /api/v1/auth/login HTTP/1.1', `Host: ${hostname}:${port}`, 'Content-Type: application/json']
  busy.write(`${[...head, 'Content-Length: 2', '', ''].join('\r\n')}{`)
  // Answered only while the one that is under way keeps the server from ending.
  await fetch(`${server.url}/health`)
  const closed = server.close()
  const ask = async () => {
    const answer = once(waiting, 'data')
    waiting.write(`GET /api/v1/auth/me HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`)
    return String((await answer)[0])
  }
  let answer = await ask()
  // Closing begins a little later.
  while (answer.startsWith('HTTP/1.1 401')) answer = await ask()
  expect(answer).toMatch(/^HTTP\/1\.1 503 /)
  expect(answer).toMatch(/retry-after: \d/i)
  expect(answer).toMatch(/connection: close/i)
  expect(answer).toContain('"code":"NOT_READY"')
  busy.destroy()
  waiting.destroy()
  await closed
})
