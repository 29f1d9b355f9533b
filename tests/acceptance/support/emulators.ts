import type { Call } from '../../fakes/core/log.ts'
import { type Emulators, startEmulators } from '../../fakes/core/server.ts'
import { createDropbox } from '../../fakes/dropbox/dropbox.ts'
import { createGoogle } from '../../fakes/google/google.ts'

export const MIB = 1024 * 1024

export type Kind = 'google' | 'dropbox'

/** What both services say of an object. */
export type RemoteObject = {
  readonly id: string
  readonly name: string
  readonly path: string
  readonly isFolder: boolean
  readonly size: number | null
  readonly sha256: string | null
}

export type Providers = Emulators & {
  /** A person at the service, with an address that nobody else has. @returns the address */
  addPerson(kind: Kind, quotaBytes: number): string
  /** What no client may ask of the service. */
  command<Result = unknown>(kind: Kind, name: string, body: object): Promise<Result>
  /** Files of the person, without folders. */
  files(kind: Kind, email: string): Promise<readonly RemoteObject[]>
  /** Bytes that the person's account holds. */
  used(kind: Kind, email: string): Promise<number>
  /** Calls that brought contents and are over, of one person when told. */
  uploads(email?: string): readonly Call[]
  /** Bytes of contents that the person's account has taken in. */
  bytesTaken(email: string): number
}

const UPLOADS = /^drive\.(upload\.chunk|files\.create)$|^files\/upload/

/** Google and Dropbox, emulated, in this process. */
export async function startProviders(): Promise<Providers> {
  const services = { google: createGoogle(), dropbox: createDropbox() }
  const emulators = await startEmulators({ services: [services.google, services.dropbox] })
  let people = 0

  async function command<Result>(kind: Kind, name: string, body: object): Promise<Result> {
    const init = { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(`${emulators.url}/__control/${kind}/${name}`, init)
    if (!response.ok) throw new Error(`${kind} ${name}: ${await response.text()}`)
    return (await response.json()) as Result
  }

  const uploads = (email?: string) =>
    emulators.log().filter(({ user, operation }) => UPLOADS.test(operation) && (email === undefined || user === email))

  return {
    ...emulators,
    command,
    addPerson(kind, quotaBytes) {
      people += 1
      const email = `person-${people}@example.com`
      services[kind].commands.addUser({ email, name: `Person ${people}`, quotaBytes })
      return email
    },
    async files(kind, email) {
      const objects = await command<RemoteObject[]>(kind, 'objects', { user: email })
      return objects.filter(({ isFolder }) => !isFolder)
    },
    async used(kind, email) {
      const people = await command<{ email: string; usedBytes: number }[]>(kind, 'users', {})
      return people.find((person) => person.email === email)?.usedBytes ?? 0
    },
    uploads,
    bytesTaken: (email) => uploads(email).reduce((sum, { bytesIn }) => sum + bytesIn, 0),
  }
}
