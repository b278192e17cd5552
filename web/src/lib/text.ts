// Texts about photos and progress. Texts about plans and places come from the server, which shares
// them with the command line.
import type { Event, SkippedFile, PhotoState, Plan } from './types'

export const STATE_NAMES: Record<PhotoState, string> = {
  seen: 'No plan',
  shared: 'Shared',
  edited: 'Edited',
  withheld: 'Withheld',
  kept: 'Pinned',
  dropped: 'Dropped',
  posted: 'Posted',
}

/** What a state is called: as long as nobody can plan, a photo is only read. */
export const stateName = (state: PhotoState, planned: boolean): string =>
  state === 'seen' && !planned ? 'Read' : STATE_NAMES[state]

/** The same for a photo that is edited besides, because it was pinned and does not go out as it is. */
export const stateWords = (state: PhotoState, edited: boolean, planned: boolean): string =>
  state === 'kept' && edited ? `${STATE_NAMES.kept}, ${STATE_NAMES.edited.toLowerCase()}` : stateName(state, planned)

/** The server's words as a sentence of their own. */
export function asSentence(words: string): string {
  const said = words.trim()
  if (!said) return ''
  const whole = /[.!?:…]$/.test(said) ? said : `${said}.`
  return whole.charAt(0).toUpperCase() + whole.slice(1)
}

// one for all: a tile's label needs it, and making one costs more than the rest of the label
const numbers = new Intl.NumberFormat('en')
/** A number with its thousands apart. */
export const grouped = (n: number): string => (n < 1000 ? String(n) : numbers.format(n))

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`
}

/** That the browser could not read all that was dropped. */
export const lostWords = (lost: number): string =>
  `${counted(lost, 'dropped file or folder', 'dropped files and folders')} could not be read and ${lost === 1 ? 'is' : 'are'} left out: see their permissions, or open the folder by its path`

/** A whole number within bounds, as it was typed; null where it is none. */
export function whole(text: string, least: number, most: number): number | null {
  const value = /^\s*\d+\s*$/.test(text) ? Number(text) : NaN
  return value >= least && value <= most ? value : null
}

export function ordinal(n: number): string {
  const tens = n % 100
  const ending = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')
  return `${grouped(n)}${ending}`
}

export function percent(p: number): string {
  if (p > 0 && p < 0.001) return 'under 0.1 %'
  if (p < 0.1) return `${(p * 100).toFixed(1)} %`
  return p > 0.99 && p < 1 ? 'over 99 %' : `${Math.round(p * 100)} %`
}

/** How long something still takes, roughly. */
export function roughly(seconds: number): string {
  if (seconds < 1.5) return 'a moment'
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  return `${(seconds / 3600).toFixed(1)} h`
}

export interface PhotoEffect {
  /** −1 to 1: below zero it gives the place away (drawn to the right, as in the report), above it hides it. */
  at: number
  words: string
}

/** What a photo's share of the evidence means, beside the strongest of the album. */
export function photoEffect(share: number | null | undefined, strongest: number): PhotoEffect | null {
  if (share === null || share === undefined) return null
  const size = strongest > 0 ? Math.min(1, Math.abs(share) / strongest) : 0
  // the strongest photo is often ten times the next: square roots leave the others to be seen
  const at = Math.sign(share) * Math.sqrt(size)
  if (size < 0.01) return { at, words: 'tells next to nothing' }
  const much = size > 0.5 ? 'much' : size > 0.15 ? 'something' : 'a little'
  return { at, words: share < 0 ? `gives away ${much}` : `hides ${much}` }
}

export function strongest(shares: (number | null)[]): number {
  return shares.reduce<number>((largest, share) => Math.max(largest, Math.abs(share ?? 0)), 0)
}

const WORK: Record<string, string> = {
  reading: 'Reading photos',
  scoring: 'Asking the model about each photo',
  text: 'Reading the text on the photos',
  planning: 'Looking for the smallest set to withhold',
  writing: 'Writing clean copies',
  proving: 'Proving it on the written files',
  telling: 'Writing the private report',
}

export const workWords = (stage: string | null | undefined): string => WORK[stage ?? ''] ?? 'Working'

/** "12 of 40, 15 a second, 2 s left" as far as it is known. */
export function progressWords(event: Event): string {
  const parts: string[] = []
  if (event.total) parts.push(`${event.count ?? 0} of ${event.total}`)
  // what a first moment's rate says is chance
  const begun = event.per_second ? (event.count ?? 0) / event.per_second >= 1 : false
  if (begun && event.per_second) parts.push(`${event.per_second.toFixed(event.per_second < 10 ? 1 : 0)} a second`)
  if (begun && event.left_s) parts.push(`${roughly(event.left_s)} left`)
  return parts.join(' · ')
}

/** The photos that would be written: what is public already is not written again. */
export const goingOut = (plan: Plan | null, states: PhotoState[]): number[] =>
  plan?.kept.filter((n) => states[n] !== 'posted') ?? []

/** A photo for someone who does not see it. */
export function photoLabel(
  id: string,
  state: PhotoState,
  told: PhotoEffect | null,
  rank: number | null | undefined,
  ready = true,
  edited = false,
): string {
  const parts = [id, stateWords(state, edited, ready).toLowerCase()]
  if (told) parts.push(told.words)
  if (rank) parts.push(`alone it puts the place ${ordinal(rank)}`)
  return parts.join(', ')
}

export interface Reason {
  reason: string
  /** The reason as a heading, with how many files have it. */
  words: string
  names: string[]
  lost: boolean
}

/** Files by why they are not read, those that somebody may miss first. */
export function byReason(files: SkippedFile[]): Reason[] {
  const reasons = new Map<string, Reason>()
  for (const { reason, name, lost } of files) {
    const key = `${lost} ${reason}`
    const known = reasons.get(key) ?? { reason, words: '', names: [], lost }
    reasons.set(key, { ...known, names: [...known.names, name] })
  }
  const sorted = [...reasons.values()].sort((a, b) => Number(b.lost) - Number(a.lost) || b.names.length - a.names.length)
  return sorted.map((entry) => {
    const sentence = entry.reason.charAt(0).toUpperCase() + entry.reason.slice(1)
    const count = entry.names.length
    return { ...entry, words: count > 1 ? `${sentence} · ${counted(count, 'file')}` : sentence }
  })
}

/** What a copy's folder is called unless somebody says otherwise; the album's own name may be none. */
export function folderFor(name: string): string {
  return `${name.replace(/[\\/:*?"<>|]/g, '-').trim() || 'photos'}-to-share`
}

/** Where a copy goes that is not the last one: with a number where the last one has that name. */
export function nextTarget(target: string, last: string): string {
  const known = last.startsWith(target) ? /^(?:-(\d+))?$/.exec(last.slice(target.length)) : null
  return known ? `${target}-${Number(known[1] ?? 1) + 1}` : target
}
