// Opening a session: the token after the # is used once and removed from the address. The secret that
// it gives is kept for the tabs of this browser at this address: it is worth nothing to another server
// there, which has to prove that it knows it before anything is sent.

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

export const remembered = (): string | null => localStorage.getItem(KEY)
export const remember = (secret: string): void => localStorage.setItem(KEY, secret)
export const forget = (): void => localStorage.removeItem(KEY)
