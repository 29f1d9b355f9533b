import { createHash } from 'node:crypto'
import type { Credentials, FieldProblem, FormField, FormValues } from '../driver.ts'

export const KIND = 'sftp'
export const DEFAULT_PORT = 22

/** How a server is reached and signed in to: the values of the form. */
export type Login = {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string | null
  readonly privateKey: string | null
  readonly passphrase: string | null
  /** Of the host key, as `fingerprintOf` returns it; null before the user has confirmed one: no connection is made then. */
  readonly fingerprint: string | null
  /** Absolute, or relative to where the server puts the user; null: exactly there. */
  readonly folder: string | null
}

export const FIELDS: readonly FormField[] = [
  field('host', 'Server', 'Its name or IP address, such as files.example.org.'),
  { ...field('port', 'Port', '22 if you leave it empty.'), type: 'NUMBER', required: false },
  field('user', 'User name', null),
  {
    ...field('password', 'Password', 'Leave it empty if you use a private key.'),
    secret: true,
    required: false,
    requiredWhen: {
      conditions: [{ field: 'privateKey', values: [''] }],
      message: 'Password is required unless you enter a private key.',
    },
  },
  {
    ...field('privateKey', 'Private key', 'The whole text of the key file, in the format of OpenSSH, PEM or PuTTY.'),
    type: 'MULTILINE',
    secret: true,
    required: false,
  },
  { ...field('passphrase', 'Passphrase of the key', 'If the key has one.'), secret: true, required: false },
  {
    ...field('folder', 'Folder', 'Where files are stored, such as /srv/files. Your home folder if you leave it empty.'),
    required: false,
  },
  {
    ...field(
      'fingerprint',
      'Host key fingerprint',
      'Begins with SHA256. Leave it empty to see it: nothing is sent to the server before you have confirmed it here.',
    ),
    required: false,
  },
]

function field(name: string, label: string, help: string | null): FormField {
  return { name, label, help, type: 'TEXT', secret: false, required: true }
}

/** SignInForm.check. */
export function checkLogin({ host, port, fingerprint }: FormValues): readonly FieldProblem[] {
  const problems: FieldProblem[] = []
  const refuse = (name: string, message: string) => problems.push({ field: name, message })
  if (host !== undefined && /[\s/@\\]/.test(host)) {
    refuse('host', 'Enter only the name or the IP address of the server, without sftp:// and without a user name.')
  }
  if (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65_535)) {
    refuse('port', 'Ports are numbers from 1 to 65535.')
  }
  if (fingerprint !== undefined && fingerprintIn(fingerprint) === null) {
    refuse('fingerprint', 'A fingerprint is SHA256: and 43 characters, as `ssh-keygen -l` shows it.')
  }
  return problems
}

/** Of values that `checkLogin` accepts, or of stored credentials. */
export function loginOf(values: Readonly<Record<string, string | null>>): Login {
  const { host, port, user, password, privateKey, passphrase, fingerprint, folder } = values
  return {
    host: host ?? '',
    port: port ? Number(port) : DEFAULT_PORT,
    user: user ?? '',
    password: password ?? null,
    privateKey: privateKey ?? null,
    passphrase: passphrase ?? null,
    fingerprint: fingerprintIn(fingerprint ?? ''),
    folder: folder ?? null,
  }
}

export function credentialsOf({ port, ...login }: Login): Credentials {
  return { expiresAt: null, port: String(port), ...login }
}

/** As `ssh-keygen -l` shows it. `key`: the host key as it is sent. */
export function fingerprintOf(key: Uint8Array): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`
}

/** Also in a whole line of `ssh-keygen -l`. */
function fingerprintIn(text: string): string | null {
  return /SHA256:[A-Za-z0-9+/]{43}(?![A-Za-z0-9+/])/.exec(text)?.[0] ?? null
}
