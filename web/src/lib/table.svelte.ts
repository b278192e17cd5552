// The table as the page sees it: one object that every component reads and none writes to but
// through its methods. What comes in whole (photos, states) is kept raw: a thousand photos must not
// become a thousand watched objects.
import * as api from './api'
import type {
  Answer, Audit, Choices, Event, Exported, Job, Left, Photo, PhotoState, Place, Plan, Stage,
  Table as Told, Undo, View, Wishes,
} from './contract'
import { Latest } from './latest'
import * as session from './session'
import { auditKey, guessState, toggleDrop, togglePin } from './wishes'

const REFRESH = 8 * 60_000 // links to pictures work for ten minutes

class Table {
  stage = $state<Stage | 'connecting' | 'locked'>('connecting')
  error = $state('')
  /** Something went wrong that does not end anything. */
  notice = $state('')
  name = $state('')
  photos = $state.raw<Photo[]>([])
  states = $state.raw<PhotoState[]>([])
  shares = $state.raw<(number | null)[]>([])
  left = $state.raw<Left[]>([])
  scorers = $state.raw<{ word: string; cells: number }[]>([])
  places = $state.raw<Place[]>([])
  wishes = $state.raw<Wishes | null>(null)
  plan = $state.raw<Plan | null>(null)
  audit = $state.raw<Audit | null>(null)
  after = $state.raw<View[]>([])
  undo = $state.raw<Undo>({ can_undo: false, can_redo: false })
  choices = $state.raw<Choices | null>(null)
  exported = $state.raw<Exported | null>(null)
  /** The last word of the reading job. */
  progress = $state.raw<Event>({})
  job = $state.raw<Job | null>(null)
  proving = $state(false)
  waiting = $state(false)
  /** Grows whenever an answer was applied: what depends on the plan asks again. */
  answers = $state(0)

  private listening: AbortController | null = null
  private shown = ''
  private queue = new Latest<Wishes, Answer>(
    (wishes) => api.putWishes(wishes),
    (answer, last) => this.take(answer, last),
    (problem) => void this.failedWish(problem),
  )

  /** Come in, and pick up whatever is going on. */
  async begin(): Promise<void> {
    const token = session.takeToken()
    try {
      if (token) session.remember((await api.openSession(token)).secret)
    } catch (problem) {
      if (!session.remembered()) return this.lock(problem)
    }
    const secret = session.remembered()
    if (!secret) return this.lock(null)
    api.useSecret(secret)
    await this.reload()
    setInterval(() => void this.freshLinks(), REFRESH)
  }

  async reload(): Promise<void> {
    try {
      this.show(await api.getTable())
    } catch (problem) {
      this.lock(problem)
    }
  }

  /** Photos by path, instead of what is there. */
  open(paths: string[]): Promise<void> {
    return this.start(() => api.openAlbum(paths, this.wishes?.scorers ?? ['embedded']))
  }

  /** Photos that were dropped on the page. */
  drop(files: File[]): Promise<void> {
    return this.start(() => api.upload(files))
  }

  async close(): Promise<void> {
    this.listening?.abort()
    await this.guarded(async () => this.show(await api.closeAlbum()))
  }

  pin = (n: number): void => this.change(n, togglePin)
  dropPhoto = (n: number): void => this.change(n, toggleDrop)

  /** A new wish: shown at once as far as it can be guessed, answered a moment later. */
  wish(wishes: Wishes): void {
    this.wishes = wishes
    this.waiting = true
    this.queue.push(wishes)
  }

  async step(by: -1 | 1): Promise<void> {
    if (!this.queue.idle) return
    if (by < 0 ? !this.undo.can_undo : !this.undo.can_redo) return
    await this.guarded(async () => this.take(await (by < 0 ? api.undo() : api.redo()), true))
  }

  async freshLinks(): Promise<void> {
    if (this.photos.length === 0) return
    await this.guarded(async () => {
      const fresh = await api.getPhotos()
      if (fresh.length === this.photos.length) this.photos = fresh
    })
  }

  say(problem: unknown): void {
    if (problem instanceof api.Problem && problem.status === 401) this.lock(problem)
    else this.notice = problem instanceof Error ? problem.message : String(problem)
  }

  private change(n: number, how: (wishes: Wishes, id: string) => Wishes): void {
    const photo = this.photos[n]
    if (!this.wishes || !photo || this.stage !== 'ready') return
    const wishes = how(this.wishes, photo.id)
    const states = [...this.states]
    states[n] = guessState(wishes, photo.id, states[n] ?? 'seen')
    this.states = states
    this.wish(wishes)
  }

  private async start(begin: () => Promise<{ job: Job }>): Promise<void> {
    this.notice = ''
    this.listening?.abort()
    await this.guarded(async () => {
      const { job } = await begin()
      this.show(await api.getTable())
      if (this.stage === 'reading' && !this.job) this.listen(job)
    })
  }

  private show(told: Told): void {
    this.stage = told.stage
    this.error = told.error ?? ''
    this.name = told.album?.name ?? ''
    this.photos = told.album?.photos ?? []
    this.states = this.photos.map((one) => one.state ?? 'seen')
    this.shares = this.photos.map((one) => one.share ?? null)
    this.left = told.album?.left ?? []
    this.scorers = told.album?.scorers ?? []
    this.places = told.places
    this.wishes = told.wishes
    this.plan = told.plan
    this.audit = told.audit
    this.after = told.audit_after
    this.undo = told.undo
    this.choices = told.choices
    this.exported = told.exported
    this.shown = auditKey(told.wishes)
    this.answers++
    if (told.job) this.listen(told.job)
    else this.job = null
  }

  private take(answer: Answer, last: boolean): void {
    this.waiting = !last
    if (!last) return // what was clicked since would jump back for a moment
    if (answer.job?.kind === 'reading') {
      void this.reload() // other scorers: the album is read again
      return
    }
    if (answer.plan && this.plan && answer.plan.version < this.plan.version) return
    this.wishes = answer.wishes
    this.plan = answer.plan
    this.places = answer.places
    this.states = answer.states
    this.shares = answer.shares.length ? answer.shares : this.shares
    this.after = answer.audit_after
    this.undo = answer.undo
    this.answers++
    this.proving = false
    if (answer.job) this.listen(answer.job)
    const key = auditKey(answer.wishes)
    if (key !== this.shown) void this.askAudit(key)
  }

  /** Other places or another width: what was believed before changes too. */
  private async askAudit(key: string): Promise<void> {
    await this.guarded(async () => {
      const told = await api.getTable()
      if (this.wishes && auditKey(this.wishes) === key && told.stage === 'ready') {
        this.audit = told.audit
        this.photos = told.album?.photos ?? this.photos
        this.shown = key
      }
    })
  }

  private listen(job: Job): void {
    this.listening?.abort()
    const control = new AbortController()
    this.listening = control
    if (this.job?.id !== job.id) this.progress = {}
    this.job = job
    this.proving = job.kind === 'proof'
    void this.hear(job, control.signal).catch((problem) => {
      if (!control.signal.aborted) this.say(problem)
    })
  }

  private async hear(job: Job, signal: AbortSignal): Promise<void> {
    const laid: Photo[] = []
    let drawn = 0
    const draw = () => {
      drawn = 0
      // a page that was loaded in the middle has some of them already
      const fresh = laid.splice(0).filter((one) => one.n >= this.photos.length)
      if (fresh.length === 0 || signal.aborted) return
      this.photos = [...this.photos, ...fresh]
      this.states = this.photos.map(() => 'seen' as const)
    }
    for await (const event of api.jobEvents(job.id, signal)) {
      if (signal.aborted) return
      if (event.left?.length && this.stage === 'reading') this.left = [...this.left, ...event.left]
      if (event.photo && this.stage === 'reading') {
        laid.push(event.photo)
        drawn ||= requestAnimationFrame(draw)
      }
      if (event.stage) this.progress = { ...event, photo: null }
      if (event.answer) this.take(event.answer, true)
      if (event.exported) this.exported = event.exported
    }
    if (job.kind === 'reading') await this.reload()
    if (job.kind === 'proof') this.proving = false
    if (this.job?.id === job.id) this.job = null
  }

  private async failedWish(problem: unknown): Promise<void> {
    this.waiting = false
    this.say(problem)
    if (this.stage === 'ready') await this.reload()
  }

  private async guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (problem) {
      this.say(problem)
    }
  }

  private lock(problem: unknown): void {
    this.stage = 'locked'
    this.error = problem instanceof Error ? problem.message : ''
    if (problem instanceof api.Problem && problem.status === 401) session.forget()
  }
}

export const table = new Table()
