// What a job tells while an album is read comes faster than anybody can see: a thousand lines at once
// where a page is loaded again. It is gathered, and shown some times a second.
import type { Event, SkippedFile, Photo } from './types'

export const PACE = 60 // milliseconds
export const MOST = 16 // photos that are laid on the table at once: a tile takes half a millisecond to make

type Show = (laid: Photo[], left: SkippedFile[], last: Event | null) => void

export class Arriving {
  private laid: Photo[] = []
  private left: SkippedFile[] = []
  private last: Event | null = null
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(private readonly show: Show) {}

  add(event: Event): void {
    if (event.photo) this.laid.push(event.photo)
    if (event.left?.length) this.left.push(...event.left)
    if (event.stage) this.last = { ...event, photo: null }
    if (this.waits) this.timer ??= setTimeout(() => this.some(), PACE)
  }

  private get waits(): boolean {
    return this.laid.length > 0 || this.left.length > 0 || this.last !== null
  }

  private some(): void {
    this.timer = undefined
    const { left, last } = this
    this.left = []
    this.last = null
    this.show(this.laid.splice(0, MOST), left, last)
    if (this.waits) this.timer = setTimeout(() => this.some(), PACE)
  }
}
