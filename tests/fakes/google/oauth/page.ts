import type { User } from '../model.ts'

type Consent = {
  readonly clientId: string
  readonly users: readonly User[]
  readonly hint: string
  readonly asked: readonly { readonly scope: string; readonly text: string }[]
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:0;background:#f0f4f9;color:#1f1f1f}
main{max-width:28rem;margin:2rem auto;padding:2rem;background:#fff;border-radius:1rem}
fieldset{border:0;padding:0;margin:0 0 1.5rem}legend{font-weight:600;margin-bottom:.5rem}
label{display:block;padding:.5rem;border-radius:.5rem}label:hover{background:#f0f4f9}small{color:#5f6368}
button{font:inherit;padding:.5rem 1.5rem;border-radius:2rem;border:1px solid #747775;background:#fff;color:#0b57d0}
button[value=allow]{background:#0b57d0;color:#fff;border-color:#0b57d0}:focus-visible{outline:3px solid #0b57d0;outline-offset:2px}`

/** What is asked before an app gets access: posts `account`, `scope`s and `decision` back to its own address. */
export function consentPage({ clientId, users, hint, asked }: Consent): string {
  const chosen = users.find(({ email }) => email === hint) ?? users[0]
  const accounts = users.map(
    (user) =>
      `<label data-testid="account"><input type="radio" name="account" value="${escapeHtml(user.email)}"${user === chosen ? ' checked' : ''}> ${escapeHtml(user.name)} <small>${escapeHtml(user.email)}</small></label>`,
  )
  const scopes = asked.map(
    ({ scope, text }) =>
      `<label><input type="checkbox" name="scope" value="${escapeHtml(scope)}" checked> ${escapeHtml(text)}</label>`,
  )
  const choice = users.length
    ? `<fieldset><legend>Choose an account</legend>${accounts.join('')}</fieldset>`
    : '<p>There is no account here yet.</p>'
  return page(
    'Sign in with Google (emulated)',
    `<p>${escapeHtml(clientId)} wants access to a Google account.</p>
<form method="post">${choice}
${scopes.length ? `<fieldset><legend>This app may</legend>${scopes.join('')}</fieldset>` : ''}
<button name="decision" value="allow" data-testid="allow"${users.length ? '' : ' disabled'}>Allow</button>
<button name="decision" value="deny" data-testid="deny">Deny</button></form>`,
  )
}

/** What is shown when the user cannot be sent back to the app. */
export const errorPage = (status: number, error: string, text: string): string =>
  page('Access blocked', `<p>${escapeHtml(text)}</p><p>Error ${status}: ${escapeHtml(error)}</p>`)

export const page = (title: string, content: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>${content}</main></body></html>`

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char)
