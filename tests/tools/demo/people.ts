const MB = 1024 ** 2
const GB = 1024 * MB

/** Who has an account at the emulated providers; the first of each is connected by the demo itself. */
const GOOGLE = [
  { email: 'maren@studioholt.example', name: 'Maren Holt', quotaBytes: 15 * GB, usedByOthersBytes: 6350 * MB },
  { email: 'archive@studioholt.example', name: 'Studio archive', quotaBytes: 100 * GB, usedByOthersBytes: 71 * GB },
  { email: 'jonas.berg@post.example', name: 'Jonas Berg', quotaBytes: 15 * GB, usedByOthersBytes: 14950 * MB },
]
const DROPBOX = [
  { email: 'studio@studioholt.example', name: 'Studio Holt', quotaBytes: 20 * GB, usedByOthersBytes: 9730 * MB },
  { email: 'maren.private@post.example', name: 'Maren Holt', quotaBytes: 2 * GB, usedByOthersBytes: 310 * MB },
]

type Clients = { readonly [Name in `${'GOOGLE' | 'DROPBOX'}_CLIENT_${'ID' | 'SECRET'}`]: string }

/** @throws Error when an emulator refuses a command */
export async function addPeople(emulator: string, clients: Clients): Promise<void> {
  await command(emulator, 'google', 'addClient', { id: clients.GOOGLE_CLIENT_ID, secret: clients.GOOGLE_CLIENT_SECRET })
  await command(emulator, 'dropbox', 'addClient', {
    id: clients.DROPBOX_CLIENT_ID,
    secret: clients.DROPBOX_CLIENT_SECRET,
  })
  for (const user of GOOGLE) await command(emulator, 'google', 'addUser', user)
  for (const user of DROPBOX) await command(emulator, 'dropbox', 'addUser', user)
}

async function command(emulator: string, service: string, name: string, body: unknown): Promise<void> {
  const response = await fetch(`${emulator}/__control/${service}/${name}`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${service} ${name}: ${await response.text()}`)
}
