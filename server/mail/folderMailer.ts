import { createHash, randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import type { MailAddress } from './address.ts'
import type { Mail, Mailer } from './mailer.ts'
import { messageOf } from './message.ts'

/** Nothing in a mail counts for longer than a day. */
const KEEP_MS = 7 * 24 * 3_600_000

export type FolderMailerDeps = {
  readonly directory: string
  readonly from: MailAddress
  readonly logger: { info(details: object, message: string): void }
}

/** For servers without SMTP: each mail becomes a file that only this server's own user can read; the log names it, and nothing in it. */
export function createFolderMailer({ directory, from, logger }: FolderMailerDeps): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
  return {
    async send(mail) {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      await chmod(directory, 0o700)
      await forgetOld(directory)
      const { message } = await transport.sendMail(messageOf(mail, from))
      const file = join(directory, nameOf(mail))
      await writeWhole(file, message)
      logger.info({ area: 'mail', file }, 'SMTP_URL is not set, so a mail was written to a file')
    },
    async forget(address) {
      const mark = `-${markOf(address)}-`
      for (const file of await filesIn(directory)) if (file.includes(mark)) await rm(file, { force: true })
    },
  }
}

/** In the order of their names they are in the order of their times. The address can be looked for in it, but not read. */
function nameOf({ to, subject }: Mail): string {
  const time = new Date().toISOString().replace(/[:.]/g, '-')
  const words = subject.toLowerCase().replace(/[^a-z]+/g, '-')
  return [time, words, markOf(to), `${randomBytes(4).toString('hex')}.eml`].join('-')
}

function markOf(address: string): string {
  return createHash('sha256').update(address).digest('hex').slice(0, 16)
}

/** Never half a file under its name. */
async function writeWhole(file: string, content: Buffer | NodeJS.ReadableStream): Promise<void> {
  const handle = await open(`${file}.part`, 'wx', 0o600)
  try {
    await handle.writeFile(content as Buffer)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(`${file}.part`, file)
}

async function forgetOld(directory: string): Promise<void> {
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
