import type { AddressInfo } from 'node:net'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'
import { vi } from 'vitest'
import { addressesOf } from './mails.ts'

export type Received = {
  readonly mail: ParsedMail
  /** Headers and text as they came. */
  readonly raw: string
  /** Whom the envelope names. */
  readonly recipients: readonly string[]
}

export type TestSmtp = {
  readonly url: URL
  readonly received: readonly Received[]
  /** The nth mail (from 1) to somebody, once it is there. */
  mailTo(email: string, nth?: number): Promise<ParsedMail>
  /** Mails are refused for now, or taken again. */
  refuse(refusing: boolean): void
  /** How many were refused. */
  refused(): number
  close(): Promise<void>
}

/** A real SMTP server on a free port of the loopback. */
export async function startSmtp(): Promise<TestSmtp> {
  const received: Received[] = []
  let refusing = false
  let refused = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onMailFrom(_address, _session, callback) {
      if (refusing) refused += 1
      callback(refusing ? Object.assign(new Error('Please try again later'), { responseCode: 451 }) : null)
    },
    async onData(stream, session, callback) {
      const chunks: Buffer[] = []
      for await (const chunk of stream) chunks.push(chunk as Buffer)
      const raw = Buffer.concat(chunks)
      const recipients = session.envelope.rcptTo.map(({ address }) => address)
      received.push({ mail: await simpleParser(raw), raw: raw.toString('latin1'), recipients })
      callback()
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    url: new URL(`smtp://127.0.0.1:${port}`),
    received,
    mailTo: (email, nth = 1) =>
      vi.waitFor(
        () => {
          const found = received.filter(({ mail }) => addressesOf(mail).includes(email))[nth - 1]
          if (!found) throw new Error(`There is no mail ${nth} to ${email}.`)
          return found.mail
        },
        { timeout: 120_000, interval: 50 },
      ),
    refuse(now) {
      refusing = now
    },
    refused: () => refused,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
