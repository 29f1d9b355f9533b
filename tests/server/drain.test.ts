import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startTestServer } from '../setup/server.ts'

it('a server that stops lets a request end that is under way', async () => {
  const server = await startTestServer()
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
