import type { SendMailOptions } from 'nodemailer'
import { DIRECTIONS } from '../lib/languages.ts'
import type { MailAddress } from './address.ts'
import type { Mail } from './mailer.ts'

/**
 * The text, and the same text as HTML that says its language and direction to mail programs and screen readers; nothing in it is loaded.
 * Addresses are passed as parts, so that nothing in them can add recipients. The headers prevent automatic replies.
 */
export function messageOf(mail: Mail, from: MailAddress): SendMailOptions {
  const { to, language, subject, text } = mail
  return {
    from: { ...from },
    to: { name: '', address: to },
    subject,
    text,
    html: htmlOf(mail),
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'Content-Language': language,
    },
  }
}

function htmlOf({ language, subject, text }: Mail): string {
  const paragraphs = text.trim().split('\n\n').map(paragraphOf)
  return `<!doctype html>
<html lang="${language}" dir="${DIRECTIONS[language]}">
<head><meta charset="utf-8"><title>${escaped(subject)}</title></head>
<body>
${paragraphs.join('\n')}
</body>
</html>
`
}

const LINK = /^https?:\/\/\S+$/

function paragraphOf(paragraph: string): string {
  const text = escaped(paragraph)
  // Addresses are read from left to right in every language.
  return LINK.test(paragraph) ? `<p dir="ltr"><a href="${text}">${text}</a></p>` : `<p>${text}</p>`
}

const CODES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => CODES[character] ?? character)
