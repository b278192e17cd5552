// The copy: written, proved and verified, as two jobs that survive a reload.
import * as api from './api'
import type { Event, ExportRequest, Job, Verified } from './types'
import { connection } from './connection.svelte'
import { workspace } from './workspace.svelte'

class Exporter {
  running = $state<'export' | 'verify' | null>(null)
  progress = $state.raw<Event>({})
  verified = $state.raw<Verified | null>(null)
  report = $state('')
  problem = $state('')
  /** Which field of the wish the problem is about, where that is known. */
  field = $state('')
  /** Requested, not begun yet. */
  asking = $state(false)
  /** Where a copy was being written when nothing more was heard of it. */
  cut = $state('')
  private target = ''
  private job: Job | null = null

  async export(wish: ExportRequest): Promise<void> {
    this.verified = null
    this.report = ''
    this.target = wish.target
    await this.follow('export', () => api.startExport(wish))
  }

  verify(): Promise<void> {
    this.verified = null
    return this.follow('verify', api.startVerify)
  }

  stop(): void {
    if (this.job) void api.stopJob(this.job.id).catch((problem) => workspace.say(problem))
  }

  /** A page that was loaded again hears a job from its start. */
  pickUp(job: Job): void {
    if (this.job?.id === job.id || (job.kind !== 'export' && job.kind !== 'verify')) return
    void this.follow(job.kind, () => Promise.resolve({ job }))
  }

  /** A link to the report works for ten minutes, so a fresh one is asked for when it is needed. */
  async link(): Promise<void> {
    if (!workspace.exported?.report) return
    try {
      this.report = (await api.getReport()).url
    } catch {
      this.report = ''
    }
  }

  private async follow(kind: 'export' | 'verify', begin: () => Promise<{ job: Job }>): Promise<void> {
    if (this.asking) return
    this.problem = this.field = this.cut = ''
    this.progress = {}
    this.asking = true
    let told = false
    try {
      const { job } = await begin()
      this.job = job
      this.running = kind
      this.asking = false
      for await (const event of api.jobEvents(job.id)) {
        if (event.stage) this.progress = event
        if (event.exported || event.stopped) told = true
        if (event.exported) workspace.exported = event.exported
        if (event.verified) this.verified = event.verified
        if (event.error && !event.stopped) this.problem = event.error
      }
      await this.link()
    } catch (problem) {
      this.problem = problem instanceof Error ? problem.message : String(problem)
      if (problem instanceof api.Problem) this.field = problem.field
      if (problem instanceof api.Problem && problem.status === 0) workspace.say(problem)
    } finally {
      // a stream that ends without a word leaves it open whether the copy was finished
      if (this.running === 'export' && !told && (!this.problem || connection.gone)) this.cut = this.target
      this.running = null
      this.asking = false
      this.job = null
      workspace.over(kind)
    }
  }
}

export const exporter = new Exporter()
