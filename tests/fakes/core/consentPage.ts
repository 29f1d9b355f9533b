const STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:0;background:#f4f5f7;color:#1c1e21}
main{max-width:28rem;margin:2rem auto;padding:2rem;background:#fff;border-radius:.5rem}
fieldset{border:0;padding:0;margin:0 0 1.5rem}legend{font-weight:600;margin-bottom:.5rem}
label{display:block;padding:.5rem;border-radius:.5rem}label:hover{background:#f4f5f7}small{color:#4c5158}
button{font:inherit;padding:.5rem 1.5rem;border:1px solid #1c1e21;border-radius:.5rem;background:#fff;color:#1c1e21}
button[value=allow]{background:#0b57c4;color:#fff;border-color:#0b57c4}:focus-visible{outline:3px solid #0b57c4;outline-offset:2px}`

/** A whole page; `content` is HTML, the title is text. */
export function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>${content}</main></body></html>`
}

type Consent = {
  readonly service: string
  readonly clientId: string
  readonly users: readonly { readonly email: string; readonly name: string }[]
  readonly permissions: readonly string[]
}

/** The consent page of a service: posts `account` and `decision` back to its own address. */
export function consentPage({ service, clientId, users, permissions }: Consent): string {
  const accounts = users.map(
    ({ email, name }, index) =>
      `<label data-testid="account"><input type="radio" name="account" value="${escapeHtml(email)}"${index === 0 ? ' checked' : ''}> ${escapeHtml(name)} <small>${escapeHtml(email)}</small></label>`,
  )
  const choice = users.length
    ? `<fieldset><legend>Choose an account</legend>${accounts.join('')}</fieldset>`
    : '<p>There is no account here yet.</p>'
  return page(
    `Connect to ${service} (emulated)`,
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
