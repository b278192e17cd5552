// The server as the page knows it: there, ended, or silent; and whether that was read already.
import * as api from './api'
import { Heartbeat, type Outage } from './heartbeat'

const SECOND_TRY = 300

class Connection {
  gone = $state<Outage>('')
  /** Whether the user has read what happened and wants to see the page as it was. */
  read = $state(false)
  /** Another server runs by now and does not know this window: nothing is asked of it. */
  private strange = false
  private back: () => void = () => undefined
  private refused: (problem: unknown) => void = () => undefined
  private heartbeat = new Heartbeat({
    ping: async (signal) => {
      try {
        await this.alive(signal)
      } catch (problem) {
        if (problem instanceof api.Problem && problem.status === 401) {
          this.strange = true
          this.refused(problem)
        }
        throw problem
      }
    },
    lastAnswer: api.lastAnswer,
    visible: () => document.visibilityState === 'visible' && !this.strange && !api.hasEnded(),
    report: (gone) => this.report(gone),
    unanswered: (problem) => problem instanceof api.Problem && problem.status === 0,
  })

  /** `back` is called when the server answers again, `refused` when it does not know this window. */
  begin(back: () => void, refused: (problem: unknown) => void): void {
    this.back = back
    this.refused = refused
    this.heartbeat.begin()
    document.addEventListener('visibilitychange', () => void this.heartbeat.check())
  }

  /** Something went unanswered, or somebody wants to know. */
  check = (): Promise<void> => this.heartbeat.check()

  /** Whether something can be asked for; where not, it is said once more why. */
  answers(): boolean {
    if (this.gone) this.read = false
    return this.gone === ''
  }

  /** One connection that breaks is not the end of the server. */
  private async alive(signal: AbortSignal): Promise<void> {
    try {
      await api.alive(signal)
    } catch (problem) {
      if (signal.aborted || !(problem instanceof api.Problem) || problem.status !== 0) throw problem
      await new Promise((resolve) => setTimeout(resolve, SECOND_TRY))
      await api.alive(signal)
    }
  }

  private report(gone: Outage): void {
    this.gone = gone
    if (gone === 'ended') api.endForGood()
    this.read = false
    if (!gone) this.back()
  }
}

export const connection = new Connection()
