import { createHash, randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import type { MailAddress } from './address.ts'
import type { Mail, Mailer } from './mailer.ts'
import { messageOf } from './message.ts'

/** Mails contain nothing that is valid for more than a day. */
const KEEP_MS = 7 * 24 * 3_600_000

export type FolderMailerDeps = {
  readonly directory: string
  readonly from: MailAddress
  readonly logger: { info(details: object, message: string): void }
}

/** For servers without SMTP: writes each mail to a file that only the server's user can read; the log has its path, not its content. */
export function createFolderMailer({ directory, from, logger }: FolderMailerDeps): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
  return {
    async send(mail) {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      await chmod(directory, 0o700)
      await deleteOld(directory)
      const { message } = await transport.sendMail(messageOf(mail, from))
      const file = join(directory, nameOf(mail))
      await writeAtomically(file, message)
      logger.info({ area: 'mail', file }, 'SMTP_URL is not set, so a mail was written to a file')
    },
    async forget(address) {
      const mark = `-${hashOf(address)}-`
      for (const file of await filesIn(directory)) if (file.includes(mark)) await rm(file, { force: true })
    },
  }
}

/** Names sort by time. They contain a hash of the address, so that its mails can be found without revealing it. */
function nameOf({ to, subject }: Mail): string {
  const time = new Date().toISOString().replace(/[:.]/g, '-')
  const slug = subject.toLowerCase().replace(/[^a-z]+/g, '-')
  return [time, slug, hashOf(to), `${randomBytes(4).toString('hex')}.eml`].join('-')
}

function hashOf(address: string): string {
  return createHash('sha256').update(address).digest('hex').slice(0, 16)
}

/** Atomic: writes to a temporary name, then renames. */
async function writeAtomically(file: string, content: Buffer | NodeJS.ReadableStream): Promise<void> {
  const handle = await open(`${file}.part`, 'wx', 0o600)
  try {
    await handle.writeFile(content as Buffer)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(`${file}.part`, file)
}

async function deleteOld(directory: string): Promise<void> {
  for (const file of await filesIn(directory)) {
    const { mtimeMs } = await stat(file)
    if (mtimeMs < Date.now() - KEEP_MS) await rm(file, { force: true })
  }
}

async function filesIn(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names.filter((name) => /\.eml(\.part)?$/.test(name)).map((name) => join(directory, name))
}
