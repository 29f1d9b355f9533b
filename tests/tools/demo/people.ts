import { heldFiles } from './holdings.ts'

const MB = 1024 ** 2
const GB = 1024 * MB

/**
 * Who has an account at the emulated providers, and how many files it `held` before; the first of each is connected by the demo
 * itself.
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

type Clients = { readonly [Name in `${'GOOGLE' | 'DROPBOX' | 'BOX' | 'PCLOUD'}_CLIENT_${'ID' | 'SECRET'}`]: string }

/** @throws Error when an emulator refuses a command */
export async function addPeople(emulator: string, clients: Clients): Promise<void> {
  await command(emulator, 'google', 'addClient', { id: clients.GOOGLE_CLIENT_ID, secret: clients.GOOGLE_CLIENT_SECRET })
  await command(emulator, 'dropbox', 'addClient', {
    id: clients.DROPBOX_CLIENT_ID,
    secret: clients.DROPBOX_CLIENT_SECRET,
  })
  await command(emulator, 'box', 'addClient', { id: clients.BOX_CLIENT_ID, secret: clients.BOX_CLIENT_SECRET })
  await command(emulator, 'pcloud', 'addClient', { id: clients.PCLOUD_CLIENT_ID, secret: clients.PCLOUD_CLIENT_SECRET })
  for (const { held, ...user } of GOOGLE) {
    await command(emulator, 'google', 'addUser', user)
    await command(emulator, 'google', 'plantTree', { user: user.email, files: heldFiles(held, { documents: true }) })
  }
  for (const { held, ...user } of DROPBOX) {
    await command(emulator, 'dropbox', 'addUser', user)
    await command(emulator, 'dropbox', 'plantTree', { user: user.email, files: heldFiles(held) })
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

async function command(emulator: string, service: string, name: string, body: unknown): Promise<void> {
  const response = await fetch(`${emulator}/__control/${service}/${name}`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${service} ${name}: ${await response.text()}`)
}
