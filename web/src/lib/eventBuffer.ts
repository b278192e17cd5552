// What a job tells while an album is read comes faster than anybody can see: a thousand lines at once
// where a page is loaded again. It is gathered, and shown some times a second.
import type { Event, SkippedFile, Photo } from './types'

export const INTERVAL = 60 // milliseconds
export const MAX_PHOTOS = 16 // photos that are shown at once: a tile takes half a millisecond to make

const STAGES = ['reading', 'scoring', 'planning']

/** Photos are read and scored at the same time; once the scoring is told of, the reading is old news. */
export const isLater = (event: Event, shown: Event): boolean =>
  STAGES.indexOf(event.stage ?? '') >= STAGES.indexOf(shown.stage ?? '')

type Show = (photos: Photo[], left: SkippedFile[], last: Event | null) => void

export class EventBuffer {
  private photos: Photo[] = []
  private left: SkippedFile[] = []
  private last: Event | null = null
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(private readonly show: Show) {}

  add(event: Event): void {
    if (event.photo) this.photos.push(event.photo)
    if (event.left?.length) this.left.push(...event.left)
    if (event.stage) this.last = { ...event, photo: null }
    if (this.pending) this.timer ??= setTimeout(() => this.flush(), INTERVAL)
  }

  private get pending(): boolean {
    return this.photos.length > 0 || this.left.length > 0 || this.last !== null
  }

  private flush(): void {
    this.timer = undefined
    const { left, last } = this
    this.left = []
    this.last = null
    this.show(this.photos.splice(0, MAX_PHOTOS), left, last)
    if (this.pending) this.timer = setTimeout(() => this.flush(), INTERVAL)
  }
}
