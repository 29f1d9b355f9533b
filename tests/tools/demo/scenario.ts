import { addPeople } from './people.ts'
import { sampleFiles } from './samples.ts'
import { connect, createClient, type DemoClient } from './skypool.ts'

export const PERSON = { fullName: 'Maren Holt', email: 'maren@studioholt.example', password: 'harbour house' }

/** What Skypool and the emulators agree on instead of real client credentials. */
export const CLIENTS = {
  GOOGLE_CLIENT_ID: 'emulated-client-id.apps.googleusercontent.com',
  GOOGLE_CLIENT_SECRET: 'emulated-client-secret',
  DROPBOX_CLIENT_ID: 'emulated-app-key',
  DROPBOX_CLIENT_SECRET: 'emulated-app-secret',
  ONEDRIVE_CLIENT_ID: 'emulated-application-id',
  ONEDRIVE_CLIENT_SECRET: 'emulated-application-secret',
  BOX_CLIENT_ID: 'emulated-box-client',
  BOX_CLIENT_SECRET: 'emulated-box-secret',
  GITHUB_CLIENT_ID: 'Iv23-emulated-github-app',
  GITHUB_CLIENT_SECRET: 'emulated-github-secret',
  PCLOUD_CLIENT_ID: 'emulated-pcloud-client',
  PCLOUD_CLIENT_SECRET: 'emulated-pcloud-secret',
}

/** One person with two connected accounts, pooled with two copies, with folders of files in the pool, and with what the accounts hold. */
export async function prepare(url: string, emulator: string): Promise<void> {
  await addPeople(emulator, CLIENTS)
  const client = await createClient(url, PERSON)
  const google = await connect(client, 'google', 'Maren', 'maren@studioholt.example')
  const dropbox = await connect(client, 'dropbox', 'Studio', 'studio@studioholt.example')
  for (const id of [google, dropbox]) await client.send('PATCH', `/api/v1/accounts/${id}`, { scope: 'EVERYTHING' })
  const pool = await client.json<{ id: string }>('POST', '/api/v1/group-clouds', {
    name: 'Studio pool',
    accountIds: [google, dropbox],
    copies: 2,
    defaultUploadGroup: true,
  })
  await fill(client, pool.id)
}

async function fill(client: DemoClient, groupCloudId: string): Promise<void> {
  const folders = new Map<string, string>()
  for (const { folder, name, type, bytes } of sampleFiles()) {
    if (folder && !folders.has(folder)) {
      const { id } = await client.json<{ id: string }>('POST', '/api/v1/files/folders', { name: folder })
      folders.set(folder, id)
    }
    const form = new FormData()
    form.set('groupCloudId', groupCloudId)
    if (folder) form.set('parentId', folders.get(folder) ?? '')
    form.set('file', new Blob([new Uint8Array(bytes)], { type }), name)
    await client.send('POST', '/api/v1/files', form)
  }
}
