// Whether the server is still there. A visible page pings it now and then, unless another request
// was answered meanwhile. It does not hold a connection open: a browser has six connections to one
// address for all its windows, and a seventh window would wait for ever.

const INTERVAL = 3_000
const INTERVAL_WHEN_SILENT = 10_000
const TIMEOUT = 10_000

/** Gone: ended for good (whoever answers there later is somebody else), or only silent (paused, or the machine is too busy to answer). */
export type Outage = '' | 'ended' | 'silent'

interface Monitored {
  /** Rejects where nobody answers; whatever else is answered is an answer. */
  ping: (signal: AbortSignal) => Promise<unknown>
  /** When the server was last heard of. */
  lastAnswer: () => number
  /** Whether the page is visible. */
  visible: () => boolean
  report: (gone: Outage) => void
  /** Whether a rejection means that nobody answered. */
  unanswered: (problem: unknown) => boolean
}

export class Heartbeat {
  private timer: ReturnType<typeof setTimeout> | undefined
  private gone: Outage = ''
  private asking = false

  constructor(private readonly server: Monitored) {}

  begin(): void {
    this.schedule()
  }

  /** The page is visible again, or a request went unanswered: ping at once. */
  async check(): Promise<void> {
    clearTimeout(this.timer)
    if (this.asking || this.gone === 'ended') return
    if (this.server.visible()) await this.ask()
    this.schedule()
  }

  private schedule(): void {
    clearTimeout(this.timer)
    if (this.gone === 'ended') return
    this.timer = setTimeout(() => void this.tick(), this.gone ? INTERVAL_WHEN_SILENT : INTERVAL)
  }

  private async tick(): Promise<void> {
    if (!this.server.visible()) return // continues when the page is visible again
    const quiet = Date.now() - this.server.lastAnswer() >= INTERVAL
    if ((quiet || this.gone) && !this.asking) await this.ask()
    this.schedule()
  }

  private async ask(): Promise<void> {
    this.asking = true
    const control = new AbortController()
    const timer = setTimeout(() => control.abort(), TIMEOUT)
    let found: Outage = ''
    try {
      await this.server.ping(control.signal)
    } catch (problem) {
      if (control.signal.aborted) found = 'silent'
      else if (this.server.unanswered(problem)) found = 'ended'
    }
    clearTimeout(timer)
    this.asking = false
    if (found === this.gone) return
    this.gone = found
    this.server.report(found)
  }
}
