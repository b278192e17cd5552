// What the server and the page say to each other. The server's own types (app/contract.py) are the
// truth; these are the same in TypeScript.

export type PhotoState = 'seen' | 'shared' | 'withheld' | 'kept' | 'dropped' | 'posted'
export type Level = 'cell' | 'city' | 'region' | 'country'
export type Stage = 'empty' | 'reading' | 'ready' | 'failed'

export interface Wishes {
  top: number | null
  budget: number | string | null
  at: string[]
  hide: string[]
  hide_level: Level | null
  radius_km: number
  margin: string
  each_photo: boolean
  bursts: boolean
  prior: string | null
  stars: boolean
  exact_top: boolean
  keep: string[]
  drop: string[]
  /** Photos of the album that are public already. */
  posted: string[]
  scorers: string[]
}

export interface Place {
  label: string
  lat: number
  lon: number
  photos: number[]
  by_time: number[]
  hidden: boolean
}

export interface Photo {
  n: number
  id: string
  width: number
  height: number
  thumb: string
  share?: number | null
  own_rank?: number | null
  place?: string | null
  posted?: boolean
  state?: PhotoState
}

export interface Left {
  name: string
  kind: string
  reason: string
  lost: boolean
}

/** What was found where no photo could be read. */
export interface Nothing {
  title: string
  sentence: string
  files: Left[]
}

export interface Album {
  name: string
  photos: Photo[]
  left: Left[]
  scorers: { word: string; cells: number }[]
}

export interface Guess {
  cell: number
  name: string
  lat: number | null
  lon: number | null
  p: number
}

export interface View {
  scorer: string
  hides: string
  whole: boolean
  photos: number
  cells: number
  rank: number
  p: number
  guesses: Guess[]
}

export interface Leak {
  kind: string
  photos: number
  examples: string[]
}

export interface Audit {
  verdict: string
  views: View[]
  leaks: Leak[]
  guesses: Guess[]
}

/** Something that could be asked for instead, where there is no plan. */
export interface Way {
  words: string
  wishes: Wishes
}

export interface Plan {
  version: number
  status: 'optimal' | 'feasible' | 'infeasible' | 'unknown'
  proved: boolean
  withheld: number[]
  kept: number[]
  cost: number
  bound: number
  verdict: string
  explanation: string
  notes: string[]
  /** Where nearly all photos go: what to ask for instead. */
  advice: string
  ways: Way[]
  /** What the promise does not cover. */
  uncovered: string[]
  /** What the plan reaches; 0 where the place may be found first. */
  protected_k: number
  rivals: Guess[]
  /** One sentence: what the album gives away, and what the plan does about it. */
  headline: string
  /** How sure the plan is. */
  proof: string
  /** Whom the promise is against, how good they are, and that a better one may exist. */
  against: string
}

export interface Undo {
  can_undo: boolean
  can_redo: boolean
  /** Changes with every wish: given with the next, so that two windows do not overwrite each other. */
  turn: number
}

export interface Job {
  id: string
  kind: 'reading' | 'scoring' | 'proof' | 'frontier' | 'export' | 'verify'
  state: 'running' | 'done' | 'failed' | 'cancelled'
}

export interface Answer {
  wishes: Wishes
  plan: Plan | null
  places: Place[]
  states: PhotoState[]
  shares: (number | null)[]
  audit_after: View[]
  job: Job | null
  undo: Undo
}

export interface Choices {
  scorers: string[]
  margins: Record<string, string>
  levels: string[]
  home: string
  example: string
  /** What no promise covers, in one line. */
  not_covered: string
}

export interface Exported {
  target: string
  files: string[]
  certificate: string
  report: string | null
  reproved: number
  notes: string[]
}

export interface Verified {
  holds: boolean
  problems: string[]
  notes: string[]
  files: number
  reproved: number
}

export interface Table {
  stage: Stage
  error: string | null
  nothing: Nothing | null
  album: Album | null
  places: Place[]
  wishes: Wishes
  plan: Plan | null
  audit: Audit | null
  audit_after: View[]
  jobs: Job[]
  exported: Exported | null
  undo: Undo
  choices: Choices
}

export interface Point {
  withheld: number
  protected_k: number
  bound: number
  proved: boolean
  greedy_k?: number | null
}

export type WorkStage = 'reading' | 'scoring' | 'planning' | 'writing' | 'proving' | 'telling'

/** One line of a stream; what is not said is not there. */
export interface Event {
  stage?: WorkStage | null
  count?: number
  total?: number
  name?: string
  per_second?: number | null
  left_s?: number | null
  photo?: Photo | null
  left?: Left[]
  answer?: Answer | null
  point?: Point | null
  greedy?: number | null
  exactly?: number | null
  exported?: Exported | null
  verified?: Verified | null
  done?: boolean
  error?: string | null
}

export interface PhotoDetails {
  photo: Photo
  picture: string
  guesses: Guess[]
  own_p: number | null
  alone: string
  changes: string[]
  leaks: [string, string][]
  time: string | null
  rating: number | null
}

export interface Belief {
  watch: number
  watches: string[]
  place: string | null
  hides: string | null
  before: Guess[]
  after: Guess[]
  rank_before: number | null
  rank_after: number | null
  zone: [number, number, number, number][]
  rivals: Guess[]
}

export interface ExportWish {
  /** The plan that was on the screen: no other one is written. */
  version: number
  target: string
  private: string | null
  order: 'shuffled' | 'album'
  names: 'neutral' | 'keep'
  remember: boolean
}

export interface Folders {
  path: string
  parent: string | null
  folders: string[]
  photos: number
}
