// Opening a session: the token after the # is used once and removed from the address; the secret
// that it gives is kept in this tab alone.

const KEY = 'elsewhere-session'

/** The token in a fragment, or null. */
export function tokenIn(fragment: string): string | null {
  return new URLSearchParams(fragment.replace(/^#/, '')).get('token')
}

/** Take the token out of the address bar and the history, and hand it over. */
export function takeToken(): string | null {
  const token = tokenIn(location.hash)
  if (location.hash) history.replaceState(null, '', location.pathname)
  return token
}

export const remembered = (): string | null => sessionStorage.getItem(KEY)
export const remember = (secret: string): void => sessionStorage.setItem(KEY, secret)
export const forget = (): void => sessionStorage.removeItem(KEY)
