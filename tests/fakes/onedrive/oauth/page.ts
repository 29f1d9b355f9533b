import { escapeHtml, page } from '../../dropbox/oauth/page.ts'

/** What an app may ask for, and how the user reads it. */
const MEANINGS: Readonly<Record<string, string>> = {
  offline_access: 'Maintain access to data you have given it access to',
  openid: 'Sign you in',
  profile: 'View your basic profile',
  email: 'View your email address',
  'User.Read': 'Read your profile',
  'Files.Read': 'Read your files',
  'Files.ReadWrite': 'Have full access to your files',
  'Files.Read.All': 'Read all files that you have access to',
  'Files.ReadWrite.All': 'Have full access to all files you have access to',
  'Sites.Read.All': 'Read items in all site collections',
}

/** In their own case; null when something is not known. */
export function scopesOf(asked: string | null): readonly string[] | null {
  const names = Object.keys(MEANINGS)
  const given = (asked ?? '')
    .split(/\s+/)
    .filter(Boolean)
    .map((scope) => scope.replace('https://graph.microsoft.com/', ''))
  const known = given.flatMap((scope) => names.filter((name) => name.toLowerCase() === scope.toLowerCase()))
  return known.length === given.length && known.length > 0 ? [...new Set(known)] : null
}

type Consent = {
  readonly clientId: string
  readonly users: readonly { readonly email: string; readonly name: string }[]
  readonly preselected: string | null
  readonly scopes: readonly string[]
}

/** What is asked before an app gets access: posts `account` and `decision` back to its own address. */
export function consentPage({ clientId, users, preselected, scopes }: Consent): string {
  const chosen = users.find(({ email }) => email === preselected) ?? users[0]
  const accounts = users.map(
    (user) =>
      `<label data-testid="account"><input type="radio" name="account" value="${escapeHtml(user.email)}"${user === chosen ? ' checked' : ''}> ${escapeHtml(user.name)} <small>${escapeHtml(user.email)}</small></label>`,
  )
  const choice = users.length
    ? `<fieldset><legend>Pick an account</legend>${accounts.join('')}</fieldset>`
    : '<p>There is no account here yet.</p>'
  const permissions = scopes.map((scope) => `<li>${escapeHtml(MEANINGS[scope] ?? scope)}</li>`)
  return page(
    'Permissions requested (emulated Microsoft)',
    `<p>${escapeHtml(clientId)} would like to:</p><ul>${permissions.join('')}</ul>
<form method="post">${choice}
<button name="decision" value="allow" data-testid="allow"${users.length ? '' : ' disabled'}>Accept</button>
<button name="decision" value="deny" data-testid="deny" formnovalidate>Cancel</button></form>`,
  )
}

/** A page that says why a request is refused. */
export const refusalPage = (code: string): string => page('Sign in', `<p>${escapeHtml(code)}</p>`)
