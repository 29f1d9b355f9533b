import type { Mail } from '../../mail/mailer.ts'

/** Events that a user is notified of by mail. */
export const NOTICES = ['PASSWORD_CHANGED', 'PASSWORD_RESET', 'SHARE_REPORTED'] as const
export type Notice = (typeof NOTICES)[number]

/** Contains no user-provided text, so that registering with another person's address cannot be used to send them messages. */
export function resetMail(to: string, siteUrl: string, token: string): Mail {
  return {
    to,
    subject: 'Reset your Skypool password',
    text: `Hello,

someone asked to reset the password of your Skypool account. If that was you, choose a new one here:

${siteUrl}/reset-password?token=${token}

The link works once and expires in 24 hours.

If it was not you, there is nothing to do: your password stays as it is.
`,
  }
}

export function noticeMail(to: string, siteUrl: string, notice: Notice): Mail {
  if (notice === 'SHARE_REPORTED') return reportMail(to, siteUrl)
  return {
    to,
    subject: 'Your Skypool password was changed',
    text: `Hello,

${WHAT_HAPPENED[notice]}

If that was you, there is nothing to do.

If it was not you, please reset your password at once:

${siteUrl}/forgot-password
`,
  }
}

function reportMail(to: string, siteUrl: string): Mail {
  return {
    to,
    subject: 'A visitor reported one of your Skypool links',
    text: `Hello,

a visitor of one of your public links has reported it. Which link and for what reason is in your activity log:

${siteUrl}/settings

If the report is right, please end the link. If it is not, there is nothing to do.
`,
  }
}

const WHAT_HAPPENED: Readonly<Record<Exclude<Notice, 'SHARE_REPORTED'>, string>> = {
  PASSWORD_CHANGED:
    'the password of your Skypool account was changed in the settings. Every other browser that was signed in has been signed out.',
  PASSWORD_RESET:
    'the password of your Skypool account was reset with a link from a mail. Every browser that was signed in has been signed out.',
}
