import type { SendMailOptions } from 'nodemailer'
import type { MailAddress } from './address.ts'
import type { Mail } from './mailer.ts'

/** Addresses are passed as parts, so that nothing in them can add recipients. The headers prevent automatic replies. */
export function messageOf({ to, subject, text }: Mail, from: MailAddress): SendMailOptions {
  return {
    from: { ...from },
    to: { name: '', address: to },
    subject,
    text,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  }
}
