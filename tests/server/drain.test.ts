import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createUser } from '../factories/user.ts'
import { createGraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

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

async function untilEnd(stream: { next(): Promise<{ done?: boolean }> }): Promise<void> {
  while ((await stream.next()).done !== true);
}

/** A request whose body is not complete. @returns a function that ends it, with the status that it got */
async function hold(server: TestServer): Promise<() => Promise<string>> {
  const { hostname, port } = new URL(server.url)
  const body = JSON.stringify({ email: 'nobody@example.org', password: 'no such password' })
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const head = ['POST /api/v1/auth/login HTTP/1.1', `Host: ${hostname}:${port}`, 'Content-Type: application/json']
  socket.write(`${[...head, `Content-Length: ${body.length}`, '', ''].join('\r\n')}${body.slice(0, 10)}`)
  await fetch(`${server.url}/health`)
  return async () => {
    const answer = once(socket, 'data')
    socket.write(body.slice(10))
    const status = String((await answer)[0]).slice(0, 'HTTP/1.1 401'.length)
    socket.destroy()
    return status
  }
}

it('/ready says no, live streams end and jobs are left to others at once, while a request is still under way', async () => {
  const server = await startTestServer({ databasePool: 10 }, { shared: true })
  const { token, viewer } = await createUser(server.services.users)
  const client = createGraphqlClient(server.url, token)
  const stream = client.stream('subscription { filesChanged { truncated } }')
  let isHeard = false
  const first = stream.next().then(() => {
    isHeard = true
  })
  // Changes that were made before it is open are not heard.
  await expect
    .poll(async () => {
      await server.services.files.createFolder(viewer, { name: crypto.randomUUID(), parentId: null })
      return isHeard
    })
    .toBe(true)
  await first
  const ended = untilEnd(stream).then(
    () => 'completed',
    () => 'broken',
  )
  const isOpen = `select from pg_stat_activity where datname = current_database() and query like 'LISTEN "jobs%'`
  await expect.poll(async () => (await server.database.pool.query(isOpen)).rowCount).toBe(1)
  const release = await hold(server)
  const closed = server.close()
  await expect.poll(async () => (await fetch(`${server.url}/ready`)).status).toBe(503)
  // Clients go on at another server after an aborted stream, and not after a complete one.
  expect(await ended).toBe('broken')
  await expect.poll(async () => (await server.database.pool.query(isOpen)).rowCount).toBe(0)
  expect(await release()).toBe('HTTP/1.1 401')
  await closed
})
