// The server as the page knows it: there, ended, or silent; and whether that was read already.
import * as api from './api'
import { Watch, type Gone } from './watch'

class Serving {
  gone = $state<Gone>('')
  /** Whoever has read what happened may look at the table as it was. */
  read = $state(false)
  /** Another server is there by now, which does not know this window: nothing is asked of it. */
  private strange = false
  private back: () => void = () => undefined
  private refused: (problem: unknown) => void = () => undefined
  private watch = new Watch({
    knock: async (signal) => {
      try {
        await api.alive(signal)
      } catch (problem) {
        if (problem instanceof api.Problem && problem.status === 401) {
          this.strange = true
          this.refused(problem)
        }
        throw problem
      }
    },
    heard: api.heard,
    seen: () => document.visibilityState === 'visible' && !this.strange,
    tell: (gone) => this.tell(gone),
    unanswered: (problem) => problem instanceof api.Problem && problem.status === 0,
  })

  /** `back` hears that the server answers again, `refused` that it does not know this window. */
  begin(back: () => void, refused: (problem: unknown) => void): void {
    this.back = back
    this.refused = refused
    this.watch.begin()
    document.addEventListener('visibilitychange', () => void this.watch.look())
  }

  /** Something went unanswered, or somebody wants to know. */
  look = (): Promise<void> => this.watch.look()

  /** Whether something can be asked for; where not, it is said once more why. */
  answers(): boolean {
    if (this.gone) this.read = false
    return this.gone === ''
  }

  private tell(gone: Gone): void {
    this.gone = gone
    this.read = false
    if (!gone) this.back()
  }
}

export const serving = new Serving()
