import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { auth, type drive_v3, drive as openDrive } from 'googleapis/build/src/apis/drive/index.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GOOGLE_CLIENT } from '../../fakes/google/google.ts'
import { allow, challenge, decide, type Harness, newVerifier, REDIRECT, startGoogle, USER } from './googleHarness.ts'

let google: Harness
let drive: drive_v3.Drive
let oauth: InstanceType<typeof auth.OAuth2>

/** Its one door to the network: all it asks goes to the emulator, sign-in and uploads included. */
const fetchImplementation: typeof fetch = (address, init) =>
  fetch(String(address).replace('https://', `${google.url}/@`), init)

beforeAll(async () => {
  google = await startGoogle()
  oauth = new auth.OAuth2({
    clientId: GOOGLE_CLIENT.id,
    clientSecret: GOOGLE_CLIENT.secret,
    redirectUri: REDIRECT,
    forceRefreshOnFailure: true,
    transporterOptions: { fetchImplementation },
  })
  drive = openDrive({ version: 'v3', auth: oauth })
})
afterAll(() => google.close())

describe("Google's own client, against the emulated Google", () => {
  it('signs in with PKCE', async () => {
    const codeVerifier = newVerifier()
    const address = oauth.generateAuthUrl({
      access_type: 'offline',
      prompt: 'consent',
      scope: ['https://www.googleapis.com/auth/drive', 'openid', 'email'],
      ...(challenge(codeVerifier) as object),
    })
    const back = await decide(google, address, allow())
    const { tokens } = await oauth.getToken({ code: back.searchParams.get('code') ?? '', codeVerifier })
    expect(tokens).toMatchObject({
      token_type: 'Bearer',
      refresh_token: expect.any(String),
      id_token: expect.any(String),
    })
    oauth.setCredentials(tokens)
    const { data } = await drive.about.get({ fields: 'user(emailAddress),storageQuota' })
    expect(data).toEqual({
      user: { emailAddress: USER },
      storageQuota: expect.objectContaining({ limit: '104857600', usage: '0' }),
    })
  })

  it('creates, reads, lists, copies, moves, shares and deletes', async () => {
    const folder = await drive.files.create({
      requestBody: { name: 'Folder', mimeType: 'application/vnd.google-apps.folder' },
      fields: 'id',
    })
    const parent = folder.data.id ?? ''
    const bytes = randomBytes(50_000)
    const created = await drive.files.create({
      requestBody: { name: 'a.bin', parents: [parent] },
      media: { body: Readable.from([bytes]) },
      fields: 'id,size,sha256Checksum',
    })
    const fileId = created.data.id ?? ''
    expect(created.data).toMatchObject({
      size: '50000',
      sha256Checksum: createHash('sha256').update(bytes).digest('hex'),
    })
    const part = await drive.files.get(
      { fileId, alt: 'media' },
      { headers: { Range: 'bytes=100-199' }, responseType: 'arraybuffer' },
    )
    expect(Buffer.from(part.data as unknown as ArrayBuffer)).toEqual(bytes.subarray(100, 200))
    const copy = await drive.files.copy({ fileId, requestBody: { name: 'b.bin' }, fields: 'id,parents' })
    await drive.files.update({ fileId: copy.data.id ?? '', addParents: 'root', removeParents: parent })
    const { data } = await drive.files.list({ q: `'${parent}' in parents and trashed=false`, fields: 'files(name)' })
    expect(data).toEqual({ files: [{ name: 'a.bin' }] })
    const shared = await drive.permissions.create({ fileId, requestBody: { type: 'anyone', role: 'reader' } })
    expect(shared.data.id).toBe('anyoneWithLink')
    await drive.permissions.delete({ fileId, permissionId: 'anyoneWithLink' })
    await drive.files.update({ fileId, requestBody: { trashed: true } })
    await drive.files.delete({ fileId: parent })
    await expect(drive.files.get({ fileId })).rejects.toMatchObject({ status: 404 })
  })

  it('follows changes', async () => {
    const start = await drive.changes.getStartPageToken()
    const { id = '' } = await google.commands.plant({ user: USER, name: 'from outside', text: 'hello' })
    const { data } = await drive.changes.list({ pageToken: start.data.startPageToken ?? '', fields: '*' })
    expect(data.changes).toMatchObject([{ fileId: id, removed: false, file: { name: 'from outside' } }])
    expect(data.newStartPageToken).toMatch(/^\d+$/)
  })

  it('follows changes over many pages: what is new, renamed, in the trash, restored and deleted', async () => {
    const token = (await drive.changes.getStartPageToken()).data.startPageToken ?? ''
    const plant = async (name: string) => (await google.commands.plant({ user: USER, name, text: name })).id ?? ''
    const [kept, renamed, trashed, restored, gone] = [
      await plant('kept'),
      await plant('named'),
      await plant('trashed'),
      await plant('restored'),
      await plant('gone'),
    ]
    await google.commands.alter({ user: USER, id: renamed, name: 'renamed' })
    for (const id of [trashed, restored]) await google.commands.alter({ user: USER, id, trashed: true })
    await google.commands.alter({ user: USER, id: restored, trashed: false })
    await google.commands.remove({ id: gone })
    const last = new Map<string, string>()
    let pageToken: string | null = token
    let end = ''
    while (pageToken !== null) {
      const { data }: { data: drive_v3.Schema$ChangeList } = await drive.changes.list({
        pageToken,
        pageSize: 2,
        fields: 'nextPageToken,newStartPageToken,changes(fileId,removed,file(name,trashed))',
      })
      for (const { fileId, removed, file } of data.changes ?? [])
        last.set(fileId ?? '', removed ? 'removed' : `${file?.name}${file?.trashed ? ' in the trash' : ''}`)
      pageToken = data.nextPageToken ?? null
      end = data.newStartPageToken ?? ''
    }
    expect(Object.fromEntries(last)).toEqual({
      [kept]: 'kept',
      [renamed]: 'renamed',
      [trashed]: 'trashed in the trash',
      [restored]: 'restored',
      [gone]: 'removed',
    })
    expect((await drive.changes.list({ pageToken: end })).data.changes).toEqual([])
    google.commands.resetChanges({ user: USER })
    await expect(drive.changes.list({ pageToken: end })).rejects.toMatchObject({ status: 400 })
  })

  it('refreshes an ended access token by itself, and revokes', async () => {
    google.commands.expireAccessTokens({ user: USER })
    google.resetLog()
    await drive.about.get({ fields: 'user' })
    expect(google.log().map(({ operation, status }) => `${operation} ${status}`)).toEqual([
      'drive.about.get 401',
      'oauth.token.refresh 200',
      'drive.about.get 200',
    ])
    await oauth.revokeToken(oauth.credentials.refresh_token ?? '')
    google.commands.expireAccessTokens({ user: USER })
    await expect(drive.about.get({ fields: 'user' })).rejects.toThrow(/invalid_grant/)
  })
})
