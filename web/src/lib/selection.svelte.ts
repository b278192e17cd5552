// The selected photos. Those that the grid does not show count as not selected.
import { gridView } from './gridView.svelte'
import { everything, extended, NOTHING, toggled } from './selection'

class SelectionState {
  /** Whether a plain click selects although nothing is selected yet. */
  mode = $state(false)
  private current = $state.raw(NOTHING)
  readonly numbers = $derived(
    this.current.photos.size ? this.shown.filter((n) => this.current.photos.has(n)) : [],
  )

  /** Whether a plain click selects. */
  get on(): boolean {
    return this.mode || this.numbers.length > 0
  }

  has(n: number): boolean {
    return this.current.photos.has(n)
  }

  toggle(n: number): void {
    this.current = toggled(this.current, n)
  }

  /** Select up to this photo, from where the last selection began. */
  extend(to: number, from: number): void {
    this.current = extended(this.current, this.shown, to, from)
  }

  all(): void {
    this.current = everything(this.shown)
  }

  clear(): void {
    this.current = NOTHING
    this.mode = false
  }

  private get shown(): number[] {
    return gridView.photos.map((photo) => photo.n)
  }
}

export const selection = new SelectionState()
