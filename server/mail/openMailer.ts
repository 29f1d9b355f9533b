import { join } from 'node:path'
import { parseMailAddress } from './address.ts'
import { createFolderMailer, type FolderMailerDeps } from './folderMailer.ts'
import type { Mailer } from './mailer.ts'
import { createSmtpMailer } from './smtpMailer.ts'

export type MailSettings = {
  readonly smtpUrl: URL | null
  /** Null: `Skypool <no-reply@host>` with the host of the public URL. */
  readonly mailFrom: string | null
  readonly publicUrl: URL | null
  readonly dataDir: string
}

/** The mailer for these settings: SMTP, or a folder. */
export function openMailer(
  { smtpUrl, mailFrom, publicUrl, dataDir }: MailSettings,
  logger: FolderMailerDeps['logger'],
): Mailer {
  const own = { name: 'Skypool', address: `no-reply@${publicUrl?.hostname ?? 'localhost'}` }
  const from = (mailFrom === null ? null : parseMailAddress(mailFrom)) ?? own
  return smtpUrl
    ? createSmtpMailer(smtpUrl, from)
    : createFolderMailer({ directory: join(dataDir, 'mail'), from, logger })
}
