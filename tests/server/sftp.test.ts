import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import { createUser } from '../factories/user.ts'
import { newKeyPair, PASSWORD, type Sshd, startSshd, USER, whyNoSshd } from '../fakes/sftp/sshd.ts'
import { startTcpProxy } from '../fakes/sftp/tcpProxy.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { createGraphqlClient, type GraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { eventually } from './shares/world.ts'

const PATH = '/api/v1/sftp-accounts'
const missing = whyNoSshd()
let server: TestServer
let sshd: Sshd
let browser: Browser
let client: GraphqlClient
let folders = 0

type Fields = Readonly<Record<string, string>>

beforeAll(async () => {
  if (missing !== null) return
  sshd = await startSshd()
  server = await startTestServer({ allowPrivateHosts: ['127.0.0.0/8'] }, { openProviders })
})
beforeEach(async () => {
  if (missing !== null) return
  const { token } = await createUser(server.services.users)
  browser = createBrowser(server.url, token)
  client = createGraphqlClient(server.url, token)
})
afterAll(async () => {
  await server?.close()
  await sshd?.close()
})

/** A new folder of the server, and how it is connected. */
async function newFolder(): Promise<Fields> {
  folders += 1
  const folder = `folder ${folders}`
  await sshd.run(`mkdir '${join(sshd.home, folder)}'`)
  const { port, fingerprint } = sshd
  return { host: '127.0.0.1', port: String(port), user: USER, password: PASSWORD, folder, fingerprint }
}

function connect(fields: Fields) {
  return browser.request('POST', `${PATH}/auth`, { name: 'Attic', fields })
}

async function expectRefused(fields: Fields, message: RegExp): Promise<void> {
  const { status, body } = await connect(fields)
  expect([status, body.code, body.detail]).toEqual([400, 'AUTHORIZATION_FAILED', expect.stringMatching(message)])
}

describe.skipIf(missing !== null)(missing ?? 'SFTP', () => {
  it('shows the host key first, and sends the login only when the user has confirmed it', async () => {
    const { fingerprint, ...fields } = await newFolder()
    await expectRefused(
      fields,
      new RegExp(`has the fingerprint ${fingerprint?.replace(/[+/]/g, '\\$&')}\\. Compare it`),
    )
    const line = `256 ${fingerprint} root@attic (ED25519)`
    const { status, body } = await connect({ ...fields, fingerprint: line })
    expect([status, body]).toMatchObject([201, { provider: 'sftp', name: 'Attic', status: 'CONNECTED' }])
    const quotas = await browser.request('POST', '/api/v1/quotas/by-ids-and-types', [{ id: body.id, type: 'sftp' }])
    expect(quotas.body).toMatchObject([{ quota: { totalBytes: 48 * 1024 ** 2 } }])
  })

  it('accepts private keys, with a passphrase too', async () => {
    const { password: _, ...fields } = await newFolder()
    expect((await connect({ ...fields, privateKey: sshd.addKey() })).status).toBe(201)
    const locked = sshd.addKey('a passphrase')
    const other = { ...(await newFolder()), password: '', privateKey: locked }
    await expectRefused(other, /has a passphrase\. Please enter it too/)
    await expectRefused({ ...other, passphrase: 'another' }, /could not be read with this passphrase/)
    await expectRefused({ ...other, privateKey: 'no key' }, /not a private key in the format/)
    await expectRefused({ ...other, privateKey: 'ssh-ed25519 AAAAC3Nza me@home' }, /This is a public key/)
    expect((await connect({ ...other, passphrase: 'a passphrase' })).status).toBe(201)
  })

  it('says what is wrong with what was entered', async () => {
    const fields = await newFolder()
    await expectRefused({ ...fields, password: 'wrong' }, /does not accept this password for “tester”/)
    const unknown = newKeyPair().private
    await expectRefused(
      { ...fields, password: '', privateKey: unknown },
      /does not accept this private key for “tester”/,
    )
    await expectRefused({ ...fields, folder: 'nowhere' }, /no folder “nowhere”/)
    await sshd.run(`echo x > '${sshd.home}/file' && mkdir -p '${sshd.home}/closed' && chmod 500 '${sshd.home}/closed'`)
    await expectRefused({ ...fields, folder: 'file' }, /“file” is not a folder/)
    await expectRefused({ ...fields, folder: 'closed' }, /“closed” can be read, but not written to/)
    await expectRefused({ ...fields, port: '1' }, /127\.0\.0\.1:1 cannot be reached: nothing accepts connections/)
    await expectRefused({ ...fields, port: new URL(server.url).port }, /is not one with SSH/)
    await expectRefused({ ...fields, fingerprint: `SHA256:${'A'.repeat(43)}` }, /and not SHA256:A{43}/)
    await expectRefused({ ...fields, host: '10.0.0.1' }, /ALLOW_PRIVATE_HOSTS/)
  })

  it('checks the fields before it calls anything', async () => {
    const fields = { host: 'sftp://files.example.org', port: '70000', user: 'maren', fingerprint: 'MD5:00' }
    const { status, body } = await connect(fields)
    expect([status, body.code]).toEqual([400, 'INVALID_INPUT'])
    const paths = body.errors.map(({ path }: { path: string }) => path)
    expect(paths).toEqual(['fields.host', 'fields.port', 'fields.password', 'fields.fingerprint'])
  })

  it('stores, reads and deletes files of a group cloud', async () => {
    const fields = await newFolder()
    const { id } = (await connect(fields)).body
    const cloud = await browser.request('POST', '/api/v1/group-clouds', { name: 'House', accountIds: [id] })
    const form = new FormData()
    form.set('groupCloudId', cloud.body.id)
    form.set('file', new File(['boxes and lamps'], 'list.txt', { type: 'text/plain' }))
    const file = (await browser.request('POST', '/api/v1/files', form)).body
    await eventually(
      async () => (await browser.request('GET', `/api/v1/files/${file.id}`)).body,
      ({ state, copies }) => state === 'STORED' && copies[0]?.accountId === id,
    )
    const home = join(sshd.home, fields.folder ?? '')
    expect(await sshd.run(`cat '${home}/Skypool/list.txt'`)).toBe('boxes and lamps')
    expect((await browser.request('GET', `/api/v1/files/${file.id}/download`)).body).toBe('boxes and lamps')
    await browser.request('POST', '/api/v1/files/trash', { ids: [file.id] })
    await browser.request('POST', '/api/v1/files/delete', { ids: [file.id] })
    await eventually(
      () => sshd.run(`find '${home}' -type f`),
      (found) => found === '',
    )
  })

  it('stops when the host key has changed, until the account is connected with the new one', async () => {
    const proxy = await startTcpProxy(sshd.port)
    const fields: Fields = { ...(await newFolder()), port: String(proxy.port) }
    const { id } = (await connect(fields)).body
    try {
      await sshd.changeHostKey()
      await proxy.end()
      await server.pool.query('update accounts set quota_checked_at = null')
      await client('mutation($ids: [ID!]!) { refreshQuotas(input: { ids: $ids }) { __typename } }', { ids: [id] })
      const look = async () => (await browser.request('GET', PATH)).body.items[0]
      const { statusReason } = await eventually(look, ({ status }) => status === 'EXPIRED')
      expect(statusReason).toMatch(/another host key than before: SHA256:\S+ instead of SHA256:/)
      const test = (fingerprint: string) =>
        browser.request('POST', '/api/v1/accounts/test', {
          provider: 'sftp',
          accountId: id,
          fields: { ...fields, fingerprint },
        })
      expect((await test(fields.fingerprint ?? '')).body).toMatchObject({
        ok: false,
        identity: null,
        fingerprint: sshd.fingerprint,
        problem: expect.stringContaining(sshd.fingerprint),
      })
      expect((await test(sshd.fingerprint)).body).toMatchObject({ ok: true, problem: null })
      // Tests change nothing.
      expect((await look()).status).toBe('EXPIRED')
      const again = (fingerprint: string) =>
        browser.request('PUT', `${PATH}/${id}`, { fields: { ...fields, fingerprint } })
      expect((await again(fields.fingerprint ?? '')).body.code).toBe('AUTHORIZATION_FAILED')
      expect((await again(sshd.fingerprint)).body).toMatchObject({ id, status: 'CONNECTED' })
    } finally {
      await proxy.close()
    }
  })
})
