const STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:0;background:#f7f5f2;color:#1e1919}
main{max-width:28rem;margin:2rem auto;padding:2rem;background:#fff;border-radius:.5rem}
fieldset{border:0;padding:0;margin:0 0 1.5rem}legend{font-weight:600;margin-bottom:.5rem}
label{display:block;padding:.5rem;border-radius:.5rem}label:hover{background:#f7f5f2}small{color:#52494a}
button{font:inherit;padding:.5rem 1.5rem;border:1px solid #1e1919;border-radius:.5rem;background:#fff;color:#1e1919}
button[value=allow]{background:#0055d4;color:#fff;border-color:#0055d4}:focus-visible{outline:3px solid #0055d4;outline-offset:2px}`

/** A whole page; `content` is HTML, the title is text. */
export function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>${content}</main></body></html>`
}

type Consent = {
  readonly clientId: string
  readonly users: readonly { readonly email: string; readonly name: string }[]
  readonly preselected: string | null
  readonly permissions: readonly string[]
}

/** What is asked before an app gets access: posts `account` and `decision` back to its own address. */
export function consentPage({ clientId, users, preselected, permissions }: Consent): string {
  const chosen = users.find(({ email }) => email === preselected) ?? users[0]
  const accounts = users.map(
    (user) =>
      `<label data-testid="account"><input type="radio" name="account" value="${escapeHtml(user.email)}"${user === chosen ? ' checked' : ''}> ${escapeHtml(user.name)} <small>${escapeHtml(user.email)}</small></label>`,
  )
  const choice = users.length
    ? `<fieldset><legend>Choose an account</legend>${accounts.join('')}</fieldset>`
    : '<p>There is no account here yet.</p>'
  return page(
    'Connect to Dropbox (emulated)',
    `<p>${escapeHtml(clientId)} would like to:</p><ul>${permissions.map((text) => `<li>${escapeHtml(text)}</li>`).join('')}</ul>
<form method="post">${choice}
<button name="decision" value="allow" data-testid="allow"${users.length ? '' : ' disabled'}>Allow</button>
<button name="decision" value="deny" data-testid="deny" formnovalidate>Deny</button></form>`,
  )
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}
