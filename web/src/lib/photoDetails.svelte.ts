// Details of photos: fetched when the user points at a photo, kept until the plan changes.
import * as api from './api'
import type { PhotoDetails } from './types'
import { workspace } from './workspace.svelte'

const DELAY = 140 // a pointer that only passes over asks for nothing

class PhotoDetailsState {
  shown = $state.raw<PhotoDetails | null>(null)
  private cache = new Map<string, PhotoDetails>()
  private timer: ReturnType<typeof setTimeout> | undefined
  private control: AbortController | null = null
  private wanted: number | null = null

  /** Show a photo's details after a delay; null cancels, and leaves the last details in place. */
  show(n: number | null, patience = DELAY): void {
    clearTimeout(this.timer)
    this.control?.abort()
    if (n === null || workspace.stage !== 'ready') return
    this.wanted = n
    const key = `${n} ${workspace.answers}`
    const known = this.cache.get(key)
    if (known) this.shown = known
    else this.timer = setTimeout(() => void this.ask(n, key), patience)
  }

  /** The plan has changed: fetch the details of the last photo again. */
  refresh(): void {
    // with the usual patience: the plan's own frame comes first
    if (this.wanted !== null) this.show(this.wanted)
  }

  clear(): void {
    this.show(null)
    this.wanted = null
    this.cache.clear()
    this.shown = null
  }

  private async ask(n: number, key: string): Promise<void> {
    const control = new AbortController()
    this.control = control
    try {
      const details = await api.getPhoto(n, control.signal)
      if (this.cache.size > 200) this.cache.clear()
      this.cache.set(key, details)
      this.shown = details
    } catch (problem) {
      if (!control.signal.aborted) workspace.say(problem)
    }
  }
}

export const photoDetails = new PhotoDetailsState()
