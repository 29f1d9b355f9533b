const HOME = '/file-manager'
const LOGIN = '/login'

/** The login page's address, remembering where the person wanted to go: from the login page itself, as it stands. */
export function loginPath({ pathname, search }: { pathname: string; search: string }): string {
  const wanted = pathname + search
  if (pathname === LOGIN) return wanted
  return wanted === HOME || wanted === '/' ? LOGIN : `${LOGIN}?from=${encodeURIComponent(wanted)}`
}

/** The state of the login page's place in the history when an ended session has led there; a reload keeps it. */
export const SESSION_ENDED = { sessionEnded: true }

/** Whether an ended session has led to this place. */
export function hasSessionEnded({ state }: { readonly state: unknown }): boolean {
  return (state as Partial<typeof SESSION_ENDED> | null)?.sessionEnded === true
}

/** Where to go after login. Only paths of this site are accepted; anything else leads to the start page. */
export function returnPath(search: string): string {
  const wanted = new URLSearchParams(search).get('from')
  if (!wanted?.startsWith('/')) return HOME
  const url = new URL(wanted, window.location.origin)
  if (url.origin !== window.location.origin || url.pathname === LOGIN) return HOME
  return url.pathname + url.search
}
