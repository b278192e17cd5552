// The open album as the page sees it: one object that every component reads and none writes to but
// through its methods. What comes in whole (photos, states) is kept raw: a thousand photos must not
// become a thousand watched objects.
import * as api from './api'
import type {
  Answer, Audit, Choices, DrawnEdit, Edit, Event, Exported, Job, SkippedFile, NoPhotos, Photo, PhotoState, Place, RecentAlbum, Plan, Stage,
  Undo, View, Wishes, WorkspaceState,
} from './types'
import type { Dropped } from './dropped'
import { EventBuffer, isLater } from './eventBuffer'
import { Latest } from './latest'
import * as session from './session'
import { samePhotos, samePicture, withKnownLinks } from './photos'
import { fieldErrors } from './fieldErrors.svelte'
import { connection } from './connection.svelte'
import { asItIs, auditKey, decide, drawn, guessState, left, toggleDrop, togglePin, togglePosted, type Decision } from './wishes'

const REFRESH = 8 * 60_000 // links to pictures work for ten minutes

class Workspace {
  stage = $state<Stage | 'connecting' | 'locked'>('connecting')
  error = $state('')
  /** Where there was no photo to be read: what was found instead. */
  nothing = $state.raw<NoPhotos | null>(null)
  /** Whether the user unticked every place: then nothing is promised, whatever was planned before. */
  unticked = $state(false)
  /** Something went wrong that does not end anything. */
  notice = $state('')
  name = $state('')
  copyName = $state('')
  photos = $state.raw<Photo[]>([])
  states = $state.raw<PhotoState[]>([])
  shares = $state.raw<(number | null)[]>([])
  /** Of the photos that would go out edited, by number. */
  edits = $state.raw<ReadonlyMap<number, Edit>>(new Map())
  left = $state.raw<SkippedFile[]>([])
  scorers = $state.raw<{ word: string; cells: number }[]>([])
  places = $state.raw<Place[]>([])
  wishes = $state.raw<Wishes | null>(null)
  plan = $state.raw<Plan | null>(null)
  /** Whether the first plan for these wishes is still being looked for. */
  pending = $state(false)
  audit = $state.raw<Audit | null>(null)
  after = $state.raw<View[]>([])
  undo = $state.raw<Undo>({ can_undo: false, can_redo: false, turn: 0 })
  choices = $state.raw<Choices | null>(null)
  exported = $state.raw<Exported | null>(null)
  /** The last event of the job that reads or scores the album. */
  progress = $state.raw<Event>({})
  /** How far the reading of the photos' text is: "3 of 20". */
  textRead = $state('')
  /** Whether the text on the photos is read: what is worked out without it is of no use after. */
  reading = $state<WorkspaceState['reading']>('off')
  /** Where it could not be read: why, and what can be done. */
  readingProblem = $state('')
  /** What goes on, by its kind. */
  jobs = $state.raw<Partial<Record<Job['kind'], Job>>>({})
  waiting = $state(false)
  /** Albums that were opened before, where none is open. */
  recent = $state.raw<RecentAlbum[]>([])
  /** Whether what is decided comes back when the album is opened again. */
  remembered = $state(false)
  /** The day of the decisions that were brought back with the album; else empty. */
  restored = $state('')
  /** Grows whenever an answer was applied: what depends on the plan asks again. */
  answers = $state(0)

  /** The wishes that were answered last. */
  private granted: Wishes | null = null
  /** The number of requests so far: a state fetched before the last one is old. */
  private requests = 0
  /** Whether what is asked now was clicked before something that was refused. */
  private wentBack = false
  /** Whether a job told of another plan while a click was being answered. */
  private missed = false
  /** Whether the album is being closed: what is refused meanwhile is no news. */
  private leaving = false
  private stepping: Promise<void> = Promise.resolve()
  /** Whether an undo or redo is being answered. */
  private inStep = false
  private listening = new Map<Job['kind'], AbortController>()
  private shown = ''
  private queue = new Latest<Wishes, Answer>(
    (wishes) => api.putWishes(wishes, this.undo.turn),
    (answer, last) => this.take(answer, last),
    (problem, wishes, before) => this.refused(problem, wishes, before),
  )

  /** Whether nothing is asked for: a state that comes meanwhile would be older than the answer. */
  private get idle(): boolean {
    return this.queue.idle && !this.inStep
  }

  get proving(): boolean {
    return this.jobs.proof !== undefined
  }

  /** Open the session, and follow the running jobs. */
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
    // another window of the same session may have moved on
    addEventListener('focus', () => void this.catchUp())
    connection.begin(() => void this.reload(), (problem) => this.lock(problem))
  }

  async reload(wanted = () => true): Promise<void> {
    try {
      const snapshot = await api.getWorkspace()
      if (wanted()) this.show(snapshot)
    } catch (problem) {
      if (problem instanceof api.Problem && problem.status === 0) this.say(problem)
      else this.lock(problem)
    }
  }

  /** Photos by path, instead of what is there. */
  open(paths: string[]): Promise<void> {
    return this.start(() => api.openAlbum(paths, this.wishes?.scorers ?? ['embedded']))
  }

  /** Photos that were dropped on the page. */
  drop(files: Dropped[]): Promise<void> {
    return this.start(() => api.upload(files))
  }

  async close(): Promise<void> {
    this.stopListening()
    this.leaving = true
    try {
      this.show(await api.closeAlbum())
    } catch (problem) {
      this.leaving = false
      this.say(problem)
    } finally {
      this.leaving = false
    }
  }

  /** Read the text on the photos again where that failed, or go on without it. */
  readText(wanted: boolean): Promise<void> {
    return this.guarded(async () => this.show(await api.readText(wanted)))
  }

  /** Forget an album that was opened before, or all of them. */
  forget(paths: string[] | null): Promise<void> {
    return this.guarded(async () => this.show(await api.forgetRecent(paths)))
  }

  pin = (n: number): void => this.change(n, togglePin)
  dropPhoto = (n: number): void => this.change(n, toggleDrop)
  /** Say that a photo is public already, or take that back. */
  post = (n: number): void => this.change(n, togglePosted)

  /** The same of several photos: one wish, and so one undo. */
  decide(numbers: number[], as: Decision): void {
    const ids = this.decidable(numbers, as)
    if (!this.wishes || !ids.length || this.stage !== 'ready' || !connection.answers()) return
    const wishes = decide(this.wishes, ids, as)
    const chosen = new Set(ids)
    this.states = this.states.map((state, n) => {
      const id = this.photos[n]?.id
      return id !== undefined && chosen.has(id) ? guessState(wishes, id, state) : state
    })
    this.wish(wishes)
  }

  /** Of these photos those of which this can be decided: what is public already is neither pinned nor dropped. */
  decidable(numbers: number[], as: Decision): string[] {
    return numbers.flatMap((n) => {
      const id = this.photos[n]?.id
      const fixed = this.states[n] === 'posted' && !(as === 'posted' && id && this.wishes?.posted.includes(id))
      return id === undefined || fixed ? [] : [id]
    })
  }

  /** Never edit a photo, or leave that to the plan again. */
  shareAsItIs = (n: number): void => this.change(n, asItIs)
  /** Edit a photo as it was drawn; null: as the plan proposes. */
  draw = (n: number, edit: DrawnEdit | null): void =>
    this.change(n, (wishes, id) => (edit ? drawn(wishes, id, edit) : left(wishes, id)))

  /** Whether edits are being looked for, and how far that is. */
  get editing(): Event | null {
    const going = this.proving && this.wishes?.edits !== 'none' && !this.pending
    return going && this.progress.stage === 'planning' && this.progress.total ? this.progress : null
  }

  /** A new wish: shown at once as far as it can be guessed, answered a moment later. */
  wish(wishes: Wishes, unticked = false): void {
    if (!connection.answers()) return
    fieldErrors.clear()
    this.requests++
    this.restored = ''
    this.unticked = unticked
    this.wishes = wishes
    this.waiting = true
    this.queue.push(wishes)
  }

  /** Hide no place at all: a plan for others says nothing any more. */
  untick(): void {
    this.unticked = true
    this.states = this.asShown(this.states)
    this.stopPlanning()
  }

  /** The states as long as no place is ticked: what a plan for others does with a photo is left out. */
  private asShown(states: PhotoState[]): PhotoState[] {
    const planned = ['shared', 'withheld', 'edited']
    return this.unticked ? states.map((state) => (planned.includes(state) ? 'seen' : state)) : states
  }

  /** Stop looking for a better plan, or for any. */
  stopPlanning(): void {
    const job = this.jobs.proof
    if (!job) return
    this.over('proof') // at once: what it still says counts no more
    void this.guarded(async () => {
      await api.stopJob(job.id)
      const requests = this.requests
      const snapshot = await api.getWorkspace()
      if (requests !== this.requests || this.stage !== 'ready') return
      this.show({ ...snapshot, jobs: snapshot.jobs.filter((other) => other.id !== job.id) })
    })
  }

  /** Look for a plan again, after a stop. */
  again(): void {
    if (this.wishes) this.wish({ ...this.wishes })
  }

  /** The usual wishes, instead of those of another day. */
  startAfresh(): void {
    this.restored = ''
    void this.step(-1)
  }

  /** Undo or redo; one that comes while another is answered waits for it. */
  step(by: -1 | 1): Promise<void> {
    this.stepping = this.stepping.then(() => this.stepNow(by))
    return this.stepping
  }

  async freshLinks(): Promise<void> {
    if (this.photos.length === 0) return
    await this.guarded(async () => {
      const fresh = await api.getPhotos()
      if (samePhotos(fresh, this.photos)) this.photos = fresh
      if (this.edits.size) this.edits = new Map((await api.getWorkspace()).edits.map((edit) => [edit.n, edit]))
    })
  }

  say(problem: unknown): void {
    const status = problem instanceof api.Problem ? problem.status : null
    if (status === 401) this.lock(problem)
    else if (status === 0) void connection.check() // what happened is said in a place of its own
    else if (!this.leaving) this.notice = problem instanceof Error ? problem.message : String(problem)
  }

  /** What another window did meanwhile. */
  private async catchUp(): Promise<void> {
    const settled = this.stage === 'empty' || this.stage === 'ready' || this.stage === 'failed'
    if (!settled || !this.idle) return
    const requests = this.requests
    await this.guarded(async () => {
      const snapshot = await api.getWorkspace()
      if (requests !== this.requests) return // somebody clicked here in the meantime
      const same =
        snapshot.stage === this.stage &&
        snapshot.undo.turn === this.undo.turn &&
        samePhotos(snapshot.album?.photos ?? [], this.photos)
      if (!same) this.show(snapshot)
    })
  }

  private async stepNow(by: -1 | 1): Promise<void> {
    if (!this.queue.idle || !connection.answers()) return
    if (by < 0 && this.unticked) {
      this.unticked = false // that no place is ticked was decided last
      return this.again()
    }
    if (by < 0 ? !this.undo.can_undo : !this.undo.can_redo) return
    fieldErrors.clear()
    this.requests++
    this.waiting = this.inStep = true
    try {
      const answer = await (by < 0 ? api.undo(this.undo.turn) : api.redo(this.undo.turn))
      this.inStep = false
      this.take(answer, true)
    } catch (problem) {
      this.inStep = false
      await this.failedWish(problem)
    }
  }

  private change(n: number, how: (wishes: Wishes, id: string) => Wishes): void {
    const photo = this.photos[n]
    if (!this.wishes || !photo || this.stage !== 'ready' || !connection.answers()) return
    if (this.states[n] === 'posted') {
      const marked = this.wishes.posted.includes(photo.id)
      if (!marked) return void (this.notice = `elsewhere remembers ${photo.id} as posted: "elsewhere ledger" shows and forgets that`)
      if (how !== togglePosted) return void (this.notice = `${photo.id} is public already, so it can be neither pinned nor dropped; press P if it is not public after all`)
    }
    const wishes = how(this.wishes, photo.id)
    const states = [...this.states]
    states[n] = guessState(wishes, photo.id, states[n] ?? 'seen')
    this.states = states
    this.wish(wishes, this.unticked)
  }

  private async start(begin: () => Promise<{ job: Job }>): Promise<void> {
    if (!connection.answers()) return
    this.notice = ''
    fieldErrors.clear()
    this.stopListening()
    await this.guarded(async () => {
      await begin()
      this.show(await api.getWorkspace())
    })
  }

  private show(snapshot: WorkspaceState): void {
    this.missed = false
    this.unticked &&= snapshot.stage === 'ready' && samePhotos(snapshot.album?.photos ?? [], this.photos)
    this.stage = snapshot.stage
    this.error = snapshot.error ?? ''
    this.nothing = snapshot.nothing
    this.name = snapshot.album?.name ?? ''
    this.copyName = snapshot.album?.copy_name ?? ''
    this.photos = withKnownLinks(snapshot.album?.photos ?? [], this.photos)
    this.states = this.asShown(this.photos.map((photo) => photo.state ?? 'seen'))
    this.shares = this.photos.map((photo) => photo.share ?? null)
    this.takeEdits(snapshot.edits)
    this.left = snapshot.album?.left ?? []
    this.scorers = snapshot.album?.scorers ?? []
    this.places = snapshot.places
    this.wishes = this.granted = snapshot.wishes
    this.plan = snapshot.plan
    this.pending = snapshot.pending
    this.audit = snapshot.audit
    this.after = snapshot.audit_after
    this.undo = snapshot.undo
    this.choices = snapshot.choices
    this.exported = snapshot.exported
    this.recent = snapshot.recent
    this.restored = snapshot.restored
    this.remembered = snapshot.remembered
    this.reading = snapshot.reading
    this.readingProblem = snapshot.reading_problem
    this.shown = auditKey(snapshot.wishes)
    this.waiting = false
    this.answers++
    for (const kind of Object.keys(this.jobs) as Job['kind'][])
      if (!snapshot.jobs.some((job) => job.kind === kind)) this.over(kind)
    for (const job of snapshot.jobs) this.listen(job)
  }

  private take(answer: Answer, last: boolean, streamed = false): void {
    if (this.stage !== 'ready') return // it was closed meanwhile
    if (answer.undo.turn >= this.undo.turn) this.undo = answer.undo
    this.waiting = !last
    this.granted = answer.wishes
    if (!last) return // what was clicked since would jump back for a moment
    if (!streamed && !this.wentBack) this.notice = '' // what went wrong before is mended
    this.wentBack = false
    if (answer.plan && this.plan && answer.plan.version < this.plan.version) return
    this.wishes = answer.wishes
    this.plan = answer.plan
    this.pending = answer.pending
    this.places = answer.places
    this.states = this.asShown(answer.states)
    this.takeEdits(answer.edits)
    this.shares = answer.shares.length ? answer.shares : this.shares
    this.after = answer.audit_after
    this.answers++
    if (!streamed && !(answer.job && this.jobs.proof?.id === answer.job.id)) this.over('proof')
    if (answer.job) this.listen(answer.job)
    if (this.unticked) this.stopPlanning()
    const key = auditKey(answer.wishes)
    if (key !== this.shown && !answer.pending) void this.askAudit(key)
    if (this.missed && !streamed) void this.reloadUnlessAsked()
  }

  /** The links that are shown already stay: another one would load the picture anew. */
  private takeEdits(fresh: Edit[]): void {
    this.edits = new Map(
      fresh.map((edit) => {
        const before = this.edits.get(edit.n)
        const same = before && samePicture(before.thumb, edit.thumb)
        return [edit.n, same ? { ...edit, thumb: before.thumb, picture: before.picture } : edit]
      }),
    )
  }

  /** Other places, attackers or another width: what was believed before changes too. */
  private async askAudit(key: string): Promise<void> {
    await this.guarded(async () => {
      const snapshot = await api.getWorkspace()
      if (this.wishes && auditKey(this.wishes) === key && snapshot.stage === 'ready') {
        this.audit = snapshot.audit
        this.photos = withKnownLinks(snapshot.album?.photos ?? this.photos, this.photos)
        this.scorers = snapshot.album?.scorers ?? this.scorers
        this.shown = key
      }
    })
  }

  /** Why the text on the photos was not read. */
  private async askReading(): Promise<void> {
    await this.guarded(async () => {
      const { reading, reading_problem } = await api.getWorkspace()
      this.reading = reading
      this.readingProblem = reading_problem
    })
  }

  private listen(job: Job): void {
    if (this.jobs[job.kind]?.id === job.id) return
    this.listening.get(job.kind)?.abort()
    this.jobs = { ...this.jobs, [job.kind]: job }
    if (job.kind === 'export' || job.kind === 'verify') return // the exporter follows these
    if (job.kind !== 'text' && (job.kind !== 'proof' || !this.jobs.scoring)) this.progress = {}
    const control = new AbortController()
    this.listening.set(job.kind, control)
    void this.follow(job, control.signal).catch((problem) => {
      if (!control.signal.aborted) this.say(problem)
    })
  }

  /** A job of this kind is of no more interest. */
  over(kind: Job['kind']): void {
    this.listening.get(kind)?.abort()
    this.listening.delete(kind)
    if (this.jobs[kind]) this.jobs = { ...this.jobs, [kind]: undefined }
  }

  private stopListening(): void {
    for (const kind of [...this.listening.keys()]) this.over(kind)
  }

  private async follow(job: Job, signal: AbortSignal): Promise<void> {
    const buffer = new EventBuffer((photos, left, last) => {
      if (signal.aborted) return
      if (last && job.kind === 'text') this.textRead = last.total ? `${last.count} of ${last.total}` : ''
      else if (last && (job.kind !== 'reading' || isLater(last, this.progress))) this.progress = last
      if (job.kind !== 'reading' || this.stage !== 'reading') return
      // a page that was loaded in the middle has some of them already
      const fresh = photos.filter((photo) => photo.n >= this.photos.length)
      if (fresh.length) {
        this.photos = [...this.photos, ...fresh]
        this.states = [...this.states, ...fresh.map(() => 'seen' as const)]
      }
      const names = new Set(this.left.map((file) => file.name))
      const lost = left.filter((file) => !names.has(file.name))
      if (lost.length) this.left = [...this.left, ...lost]
    })
    let problem = ''
    let refused: Wishes | null = null
    for await (const event of api.jobEvents(job.id, signal)) {
      if (signal.aborted) return
      buffer.add(event)
      if (event.answer && this.pending) refused = this.wishes
      if (event.answer && job.kind === 'text') this.reading = 'read'
      // whoever clicks meanwhile is answered anyway
      if (event.answer && this.idle) this.take(event.answer, true, true)
      else if (event.answer && job.kind !== 'proof') this.missed = true // other rows: every plan is another
      if (event.error && !event.stopped) problem = event.error
    }
    if (signal.aborted) return
    this.over(job.kind)
    if (job.kind === 'reading') await this.reload()
    // another job may have taken it over
    if (job.kind === 'proof' && this.pending && this.idle) await this.reloadUnlessAsked()
    if (job.kind === 'scoring' && problem) this.say(new Error(problem))
    if (job.kind === 'text' && this.reading === 'reading') await this.askReading()
    // a wish that could only be refused after a while
    if (job.kind === 'proof' && problem && !this.pending) {
      const late = new api.Problem(400, problem)
      if (!fieldErrors.takes(late, this.granted, refused)) this.say(late)
    }
  }

  /** Whether to ask for what was clicked just before: one refused click must not cost another. */
  private refused(problem: unknown, wishes: Wishes, before: Wishes | undefined): boolean {
    const understood = problem instanceof api.Problem && (problem.status === 400 || problem.status === 422)
    this.wentBack = understood && before !== undefined
    if (!this.wentBack || !before) void this.failedWish(problem, wishes)
    else {
      if (!fieldErrors.takes(problem, before, wishes)) this.say(problem)
      this.wishes = before
    }
    return this.wentBack
  }

  private async failedWish(problem: unknown, wishes = this.wishes): Promise<void> {
    this.waiting = false
    if (!fieldErrors.takes(problem, this.granted, wishes)) this.say(problem)
    // the next click must not ask for the same again
    if (this.wishes === wishes && this.granted) this.wishes = this.granted
    await this.reloadUnlessAsked()
  }

  /** The whole state, unless something is asked for meanwhile: then that is answered. */
  private async reloadUnlessAsked(): Promise<void> {
    const requests = this.requests
    if (this.stage !== 'ready' || connection.gone) return
    await this.reload(() => requests === this.requests)
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

export const workspace = new Workspace()
