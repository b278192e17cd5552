// Whether the server is still there. Nobody should learn from a click that it ended an hour ago, so
// a page that is looked at knocks now and then; while it is answered anyway it does not even that.
// It knocks instead of holding a line open: a browser has six lines to one address for all its
// windows, and the last of them would wait for ever.

const EVERY = 3_000
const SELDOM = 10_000 // once it is gone, it hardly comes back
const PATIENCE = 10_000

/** Gone: ended for good, or only silent (paused, or the machine is too busy to answer). */
export type Gone = '' | 'ended' | 'silent'

interface Watched {
  /** Rejects where nobody answers; whatever else is answered is an answer. */
  knock: (signal: AbortSignal) => Promise<unknown>
  /** When the server was last heard of. */
  heard: () => number
  /** Whether anybody looks at the page. */
  seen: () => boolean
  tell: (gone: Gone) => void
  /** Whether a rejection means that nobody answered. */
  unanswered: (problem: unknown) => boolean
}

export class Watch {
  private timer: ReturnType<typeof setTimeout> | undefined
  private gone: Gone = ''
  private asking = false

  constructor(private readonly watched: Watched) {}

  begin(): void {
    this.later()
  }

  /** Somebody looks again, or something went unanswered: knock at once. */
  async look(): Promise<void> {
    clearTimeout(this.timer)
    if (this.asking) return
    if (this.watched.seen()) await this.ask()
    this.later()
  }

  private later(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.tick(), this.gone ? SELDOM : EVERY)
  }

  private async tick(): Promise<void> {
    if (!this.watched.seen()) return // goes on when somebody looks again
    const quiet = Date.now() - this.watched.heard() >= EVERY
    if ((quiet || this.gone) && !this.asking) await this.ask()
    this.later()
  }

  private async ask(): Promise<void> {
    this.asking = true
    const control = new AbortController()
    const timer = setTimeout(() => control.abort(), PATIENCE)
    let found: Gone = ''
    try {
      await this.watched.knock(control.signal)
    } catch (problem) {
      if (control.signal.aborted) found = 'silent'
      else if (this.watched.unanswered(problem)) found = 'ended'
    }
    clearTimeout(timer)
    this.asking = false
    if (found === this.gone) return
    this.gone = found
    this.watched.tell(found)
  }
}
