import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ParsedMail, simpleParser } from 'mailparser'
import { vi } from 'vitest'

/** What a server without SMTP has written to its folder, the oldest first. */
export async function mailsIn(dataDir: string): Promise<ParsedMail[]> {
  const folder = join(dataDir, 'mail')
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml')).sort()
  return Promise.all(names.map(async (name) => simpleParser(await readFile(join(folder, name)))))
}

export function addressesOf({ to }: ParsedMail): string[] {
  return [to ?? []].flat().flatMap(({ value }) => value.flatMap(({ address }) => address ?? []))
}

/** The nth mail (from 1) to somebody, once it is there. */
export async function mailTo(dataDir: string, email: string, nth = 1): Promise<ParsedMail> {
  return vi.waitFor(
    async () => {
      const mail = (await mailsIn(dataDir)).filter((one) => addressesOf(one).includes(email))[nth - 1]
      if (!mail) throw new Error(`There is no mail ${nth} to ${email}.`)
      return mail
    },
    { timeout: 120_000, interval: 50 },
  )
}

/** The token of the link in a mail. */
export function tokenIn(mail: ParsedMail): string {
  const [, token] = /\/reset-password\?token=([\w-]+)/.exec(mail.text ?? '') ?? []
  if (!token) throw new Error(`There is no link in “${mail.subject}”.`)
  return token
}
