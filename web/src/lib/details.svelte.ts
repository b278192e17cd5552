// Close looks at photos: asked for when somebody points at one, kept until the plan changes.
import * as api from './api'
import type { PhotoDetails } from './types'
import { table } from './table.svelte'

const PATIENCE = 140 // a pointer that only passes over asks for nothing

class Details {
  shown = $state.raw<PhotoDetails | null>(null)
  private kept = new Map<string, PhotoDetails>()
  private timer: ReturnType<typeof setTimeout> | undefined
  private control: AbortController | null = null
  private wanted: number | null = null

  /** Look at a photo, soon; null looks away, and leaves the last one to be read. */
  look(n: number | null, patience = PATIENCE): void {
    clearTimeout(this.timer)
    this.control?.abort()
    if (n === null || table.stage !== 'ready') return
    this.wanted = n
    const key = `${n} ${table.answers}`
    const known = this.kept.get(key)
    if (known) this.shown = known
    else this.timer = setTimeout(() => void this.ask(n, key), patience)
  }

  /** What is shown was said of another plan: ask again, of the photo that was asked for last. */
  again(): void {
    // with the usual patience: the plan's own frame comes first
    if (this.wanted !== null) this.look(this.wanted)
  }

  clear(): void {
    this.look(null)
    this.wanted = null
    this.kept.clear()
    this.shown = null
  }

  private async ask(n: number, key: string): Promise<void> {
    const control = new AbortController()
    this.control = control
    try {
      const told = await api.getPhoto(n, control.signal)
      if (this.kept.size > 200) this.kept.clear()
      this.kept.set(key, told)
      this.shown = told
    } catch (problem) {
      if (!control.signal.aborted) table.say(problem)
    }
  }
}

export const details = new Details()
