import { createTransport } from 'nodemailer'
import type { MailAddress } from './address.ts'
import type { Mailer } from './mailer.ts'
import { messageOf } from './message.ts'

const CONNECT_MS = 15_000
const SILENCE_MS = 60_000

/** Sends mails through the server at `url` (`smtp://user:password@host:port`, or `smtps://`). */
export function createSmtpMailer(url: URL, from: MailAddress): Mailer {
  const transport = createTransport({
    url: url.href,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send(mail) {
      await transport.sendMail(messageOf(mail, from))
    },
    // Nothing is stored here.
    async forget() {},
  }
}
