import type { Language } from '../lib/languages.ts'

/** A mail to one recipient. `text` is plain text: paragraphs between empty lines, a link alone in its paragraph. */
export type Mail = {
  readonly to: string
  readonly language: Language
  readonly subject: string
  readonly text: string
}

export type Mailer = {
  /** Resolves when the SMTP server has accepted the mail, or when it is on disk. @throws Error of the transport */
  send(mail: Mail): Promise<void>
  /** Deletes stored mails to an address. */
  forget(address: string): Promise<void>
}
