// Whether the server at our address is the one that this window belongs to. Whoever takes the port
// of a server that ended could pose as it. So before anything else is sent, the server must answer
// a random number with its HMAC by the session's secret; the secret itself is not sent for that.

const encoder = new TextEncoder()

const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

export const newNonce = (): string => hex(crypto.getRandomValues(new Uint8Array(32)))

/** What a server that knows the secret answers. */
export async function expectedProof(secret: string, nonce: string): Promise<string> {
  const method = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), method, false, ['sign'])
  return hex(new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(`server\n${nonce}`))))
}

/** Remembers for a moment that the server has proved itself; requests at once share one proof. */
export class Proof {
  private provedAt = -Infinity
  private asking: Promise<void> | null = null

  /** `ask` rejects unless the server proves itself. A proof is good for `lifetime` milliseconds. */
  constructor(
    private readonly ask: () => Promise<void>,
    private readonly lifetime = 1_000,
  ) {}

  /** Rejects where the server is not ours; `fresh`: what was proved before does not count. */
  async require(fresh = false): Promise<void> {
    if (!fresh && Date.now() - this.provedAt < this.lifetime) return
    this.asking ??= this.ask()
      .then(() => void (this.provedAt = Date.now()))
      .finally(() => (this.asking = null))
    await this.asking
  }
}
