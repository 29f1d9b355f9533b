import type { Language } from '../../lib/languages.ts'
import type { Mail } from '../../mail/mailer.ts'

/** Events that a user is notified of by mail. */
export const NOTICES = ['PASSWORD_CHANGED', 'PASSWORD_RESET', 'SHARE_REPORTED', 'FILES_RECEIVED'] as const
export type Notice = (typeof NOTICES)[number]

export type Addressee = { readonly email: string; readonly language: Language }

/** What a mail says. `site`: the public URL of this server, which every link in it begins with. */
type Words = Pick<Mail, 'subject' | 'text'>
type Texts = {
  readonly reset: (site: string, token: string) => Words
  /** `title`: the owner's own, of the upload link. No text of visitors. */
  readonly notices: Readonly<Record<Notice, (site: string, title?: string) => Words>>
}

/** Contains no user-provided text, so that registering with another person's address cannot be used to send them messages. */
export function resetMail({ email, language }: Addressee, site: string, token: string): Mail {
  return { to: email, language, ...TEXTS[language].reset(site, token) }
}

/** `about`: a title that the user has chosen, where the notice is about one. */
export function noticeMail({ email, language }: Addressee, site: string, notice: Notice, about?: string): Mail {
  return { to: email, language, ...TEXTS[language].notices[notice](site, about) }
}

const englishChange = (site: string, happened: string): Words => ({
  subject: 'Your Skypool password was changed',
  text: `Hello,

${happened}

If that was you, there is nothing to do.

If it was not you, please reset your password at once:

${site}/forgot-password
`,
})

const germanChange = (site: string, happened: string): Words => ({
  subject: 'Ihr Passwort für Skypool wurde geändert',
  text: `Guten Tag,

${happened}

Wenn Sie das waren, ist nichts zu tun.

Wenn Sie es nicht waren, setzen Sie Ihr Passwort bitte sofort zurück:

${site}/forgot-password
`,
})

const TEXTS: Readonly<Record<Language, Texts>> = {
  en: {
    reset: (site, token) => ({
      subject: 'Reset your Skypool password',
      text: `Hello,

someone asked to reset the password of your Skypool account. If that was you, choose a new one here:

${site}/reset-password?token=${token}

The link works once and expires in 24 hours.

If it was not you, there is nothing to do: your password stays as it is.
`,
    }),
    notices: {
      PASSWORD_CHANGED: (site) =>
        englishChange(
          site,
          'the password of your Skypool account was changed in the settings. Every other browser that was signed in has been signed out.',
        ),
      PASSWORD_RESET: (site) =>
        englishChange(
          site,
          'the password of your Skypool account was reset with a link from a mail. Every browser that was signed in has been signed out.',
        ),
      SHARE_REPORTED: (site) => ({
        subject: 'A visitor reported one of your Skypool links',
        text: `Hello,

a visitor of one of your public links has reported it. Which link and for what reason is in your activity log:

${site}/settings

If the report is right, please end the link. If it is not, there is nothing to do.
`,
      }),
      FILES_RECEIVED: (site, title) => ({
        subject: 'Files have arrived through your Skypool upload link',
        text: `Hello,

visitors have sent files through your upload link${title === undefined ? '' : ` “${title}”`}. You find them in its folder:

${site}/file-manager/shared

Who sent what is in your activity log. To get no more of these mails, change the link.
`,
      }),
    },
  },
  de: {
    reset: (site, token) => ({
      subject: 'Ihr Passwort für Skypool zurücksetzen',
      text: `Guten Tag,

jemand möchte das Passwort Ihres Kontos bei Skypool zurücksetzen. Wenn Sie das waren, wählen Sie hier ein neues:

${site}/reset-password?token=${token}

Der Link funktioniert einmal und läuft in 24 Stunden ab.

Wenn Sie es nicht waren, ist nichts zu tun: Ihr Passwort bleibt, wie es ist.
`,
    }),
    notices: {
      PASSWORD_CHANGED: (site) =>
        germanChange(
          site,
          'das Passwort Ihres Kontos bei Skypool wurde in den Einstellungen geändert. Alle anderen Browser, die angemeldet waren, sind jetzt abgemeldet.',
        ),
      PASSWORD_RESET: (site) =>
        germanChange(
          site,
          'das Passwort Ihres Kontos bei Skypool wurde mit einem Link aus einer E-Mail zurückgesetzt. Alle Browser, die angemeldet waren, sind jetzt abgemeldet.',
        ),
      SHARE_REPORTED: (site) => ({
        subject: 'Einer Ihrer Links bei Skypool wurde gemeldet',
        text: `Guten Tag,

ein Besucher hat einen Ihrer öffentlichen Links gemeldet. Welchen und warum, steht in Ihrem Aktivitätsprotokoll:

${site}/settings

Wenn die Meldung zutrifft, beenden Sie den Link bitte. Wenn nicht, ist nichts zu tun.
`,
      }),
      FILES_RECEIVED: (site, title) => ({
        subject: 'Über Ihren Upload-Link bei Skypool sind Dateien angekommen',
        text: `Guten Tag,

Besucher haben über Ihren Upload-Link${title === undefined ? '' : ` „${title}“`} Dateien gesendet. Sie finden sie in seinem Ordner:

${site}/file-manager/shared

Wer was gesendet hat, steht in Ihrem Aktivitätsprotokoll. Wenn Sie diese E-Mails nicht mehr möchten, ändern Sie den Link.
`,
      }),
    },
  },
}
