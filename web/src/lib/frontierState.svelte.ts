// The frontier of the current wishes, as it is solved. It is kept here so that the verdict knows it
// too, and so that a phone that shows another part does not ask again.
import * as api from './api'
import { aged, over, withPoint, type Step } from './frontier'
import { workspace } from './workspace.svelte'

class FrontierState {
  points = $state.raw<Step[]>([])
  /** So many photos greedy withholds for what was asked. */
  greedy = $state<number | null>(null)
  /** So many photos would do for the top itself, where another was drawn in secret. */
  exactly = $state<number | null>(null)
  solving = $state(false)
  /** Which wishes it is the frontier of: where it is out of sight, others may count by now. */
  about = $state('')
  private known = ''
  private edited = false

  /** Whether it is that of these wishes, and counts as the plan does: withheld photos, or a loss. */
  knows(key: string, edited: boolean): boolean {
    return key === this.known && edited === this.edited
  }

  /** Nothing that was solved counts any more; it stays in sight until it is solved anew. */
  doubt(): void {
    this.known = ''
    this.about = ''
    this.greedy = null
    this.exactly = null
    this.points = aged(this.points)
  }

  clear(): void {
    this.known = ''
    this.about = ''
    this.points = []
    this.greedy = null
    this.exactly = null
    this.solving = false
  }

  async follow(key: string, edited: boolean, signal: AbortSignal): Promise<void> {
    if (edited !== this.edited) this.points = []
    this.edited = edited
    this.solving = true
    this.about = key
    let found: Step[] = []
    let needed: number | null = null
    try {
      for await (const event of api.frontier(signal)) {
        if (signal.aborted) return
        if (event.point) {
          found = withPoint(found, event.point)
          this.points = over(this.points, found)
        }
        this.exactly = event.exactly ?? this.exactly
        needed = event.greedy ?? needed
        if (event.done) {
          this.known = key
          this.points = found
          this.greedy = needed
        }
      }
    } catch (problem) {
      if (!signal.aborted) workspace.say(problem)
    } finally {
      if (!signal.aborted) this.solving = false
    }
  }
}

export const frontierState = new FrontierState()
