import { NEXTCLOUD_HOST } from '../../fakes/nextcloud/nextcloud.ts'
import { heldFiles } from './holdings.ts'
import { pathOf, sampleFiles } from './samples.ts'

const MB = 1024 ** 2
const GB = 1024 * MB

/**
 * Who has an account at the emulated providers, and how many files it `held` before; the first of Google and Dropbox is connected by
 * the demo itself.
 */
const GOOGLE = [
  {
    email: 'maren@studioholt.example',
    name: 'Maren Holt',
    quotaBytes: 15 * GB,
    usedByOthersBytes: 6350 * MB,
    held: 1200,
  },
  {
    email: 'archive@studioholt.example',
    name: 'Studio archive',
    quotaBytes: 100 * GB,
    usedByOthersBytes: 71 * GB,
    held: 5000,
  },
  {
    email: 'jonas.berg@post.example',
    name: 'Jonas Berg',
    quotaBytes: 15 * GB,
    usedByOthersBytes: 14950 * MB,
    held: 300,
  },
]
const DROPBOX = [
  {
    email: 'studio@studioholt.example',
    name: 'Studio Holt',
    quotaBytes: 20 * GB,
    usedByOthersBytes: 9730 * MB,
    held: 600,
  },
  {
    email: 'maren.private@post.example',
    name: 'Maren Holt',
    quotaBytes: 2 * GB,
    usedByOthersBytes: 310 * MB,
    held: 150,
  },
]
const ONEDRIVE = [
  {
    email: 'maren.holt@outlook.example',
    name: 'Maren Holt',
    quotaBytes: 5 * GB,
    usedByOthersBytes: 1270 * MB,
    held: 240,
  },
  {
    email: 'jonas@studioholt.example',
    name: 'Jonas Berg',
    quotaBytes: 1024 * GB,
    usedByOthersBytes: 212 * GB,
    driveType: 'business',
    held: 400,
  },
]

const BOX = [
  {
    email: 'maren.box@post.example',
    name: 'Maren Holt',
    quotaBytes: 10 * GB,
    usedByOthersBytes: 1240 * MB,
    held: 250,
  },
]

const PCLOUD = [
  {
    email: 'maren.pcloud@post.example',
    name: 'Maren Holt',
    quotaBytes: 10 * GB,
    usedByOthersBytes: 3110 * MB,
    held: 200,
  },
]

/** A user of GitHub, who has installed the app for a repository. */
const GITHUB = { email: 'maren.github@post.example', login: 'marenholt', repository: 'studio-copies' }

/** Of a bot that is in a channel, to be connected. */
export const TELEGRAM_TOKEN = '4242424242:emulated-token-of-the-bot-of-studio-holt'
/** A login at the emulated Nextcloud, for the form of WebDAV. */
export const NEXTCLOUD = { user: 'maren', password: 'harbour-house-app', quotaBytes: 5 * GB }
/** Of MEGA, which is connected with a form: the second one asks for the code of an authenticator app, too. */
export const MEGA = [
  {
    email: 'maren@studioholt.example',
    name: 'Maren Holt',
    password: 'lighthouse keeper',
    quotaBytes: 20 * GB,
    held: 250,
  },
  {
    email: 'safe@studioholt.example',
    name: 'Studio safe',
    password: 'harbour office',
    code: '271828',
    quotaBytes: 50 * GB,
    held: 40,
  },
]

type Clients = {
  readonly [Name in `${'GOOGLE' | 'DROPBOX' | 'ONEDRIVE' | 'BOX' | 'GITHUB' | 'PCLOUD'}_CLIENT_${'ID' | 'SECRET'}`]: string
}

/** @throws Error when an emulator refuses a command */
export async function addPeople(emulator: string, clients: Clients): Promise<void> {
  await command(emulator, 'google', 'addClient', { id: clients.GOOGLE_CLIENT_ID, secret: clients.GOOGLE_CLIENT_SECRET })
  await command(emulator, 'dropbox', 'addClient', {
    id: clients.DROPBOX_CLIENT_ID,
    secret: clients.DROPBOX_CLIENT_SECRET,
  })
  await command(emulator, 'box', 'addClient', { id: clients.BOX_CLIENT_ID, secret: clients.BOX_CLIENT_SECRET })
  await addGithub(emulator, clients)
  await command(emulator, 'pcloud', 'addClient', { id: clients.PCLOUD_CLIENT_ID, secret: clients.PCLOUD_CLIENT_SECRET })
  for (const { held, ...user } of GOOGLE) {
    await command(emulator, 'google', 'addUser', user)
    await command(emulator, 'google', 'plantTree', { user: user.email, files: heldFiles(held, { documents: true }) })
  }
  for (const { held, ...user } of DROPBOX) {
    await command(emulator, 'dropbox', 'addUser', user)
    await command(emulator, 'dropbox', 'plantTree', { user: user.email, files: heldFiles(held) })
  }
  await command(emulator, 'telegram', 'addBot', { token: TELEGRAM_TOKEN, username: 'StudioHoltBot' })
  const { id: channel } = await command<{ id: number }>(emulator, 'telegram', 'addChannel', { title: 'Studio copies' })
  await command(emulator, 'telegram', 'setAdmin', { channel, token: TELEGRAM_TOKEN })
  const { user, password, quotaBytes } = NEXTCLOUD
  await command(emulator, 'nextcloud', 'addUser', { id: user, appPassword: password, quotaBytes })
  await fillNextcloud(emulator)
  const oneDrive = { id: clients.ONEDRIVE_CLIENT_ID, secret: clients.ONEDRIVE_CLIENT_SECRET }
  await command(emulator, 'onedrive', 'addClient', oneDrive)
  for (const { held, ...user } of ONEDRIVE) {
    await command(emulator, 'onedrive', 'addUser', user)
    await command(emulator, 'onedrive', 'plantTree', { user: user.email, files: heldFiles(held) })
  }
  for (const { held, ...user } of MEGA) {
    await command(emulator, 'mega', 'addUser', user)
    await command(emulator, 'mega', 'plantTree', { user: user.email, files: heldFiles(held) })
  }
  for (const { held, ...user } of BOX) {
    await command(emulator, 'box', 'addUser', user)
    await command(emulator, 'box', 'plantTree', { user: user.email, files: heldFiles(held) })
  }
  for (const { held, ...user } of PCLOUD) {
    await command(emulator, 'pcloud', 'addUser', user)
    await command(emulator, 'pcloud', 'plantTree', { user: user.email, files: heldFiles(held) })
  }
}

async function addGithub(emulator: string, clients: Clients): Promise<void> {
  const { email: user, login, repository } = GITHUB
  const client = { id: clients.GITHUB_CLIENT_ID, secret: clients.GITHUB_CLIENT_SECRET, isApp: true }
  await command(emulator, 'github', 'addClient', client)
  await command(emulator, 'github', 'addUser', { email: user, login, name: 'Maren Holt' })
  await command(emulator, 'github', 'addRepository', { user, repository })
  await command(emulator, 'github', 'install', { user, repositories: [repository] })
}

async function fillNextcloud(emulator: string): Promise<void> {
  const files = sampleFiles()
  const login = Buffer.from(`${NEXTCLOUD.user}:${NEXTCLOUD.password}`).toString('base64')
  const send = async (method: string, path: string, bytes?: Uint8Array<ArrayBuffer>): Promise<void> => {
    const address = `${nextcloudAddress(emulator)}/remote.php/dav/files/${NEXTCLOUD.user}/${encodeURI(path)}`
    const response = await fetch(address, { method, headers: { authorization: `Basic ${login}` }, body: bytes ?? null })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`)
  }
  for (const folder of new Set(files.flatMap(({ folder }) => folder ?? []))) await send('MKCOL', folder)
  for (const file of files) await send('PUT', pathOf(file), new Uint8Array(file.bytes))
}

/** The address of the emulated Nextcloud. */
export function nextcloudAddress(emulator: string): string {
  return `${emulator}/@${NEXTCLOUD_HOST}`
}

async function command<Answer>(emulator: string, service: string, name: string, body: unknown): Promise<Answer> {
  const response = await fetch(`${emulator}/__control/${service}/${name}`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${service} ${name}: ${await response.text()}`)
  return (await response.json()) as Answer
}
