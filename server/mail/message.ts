import type { SendMailOptions } from 'nodemailer'
import type { MailAddress } from './address.ts'
import type { Mail } from './mailer.ts'

/** Addresses go as parts, never as a text to be parsed: one recipient stays one. Nobody's machine answers it. */
export function messageOf({ to, subject, text }: Mail, from: MailAddress): SendMailOptions {
  return {
    from: { ...from },
    to: { name: '', address: to },
    subject,
    text,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  }
}
