// Every request of the page. None goes anywhere but to the server that the page came from.
import type { Dropped } from './dropped'
import type {
  Answer, Belief, Event, ExportRequest, Folders, Job, Photo, PhotoDetails, Wishes, WorkspaceState,
} from './types'
import { values } from './ndjson'
import { expectedProof, newNonce, Proof } from './proof'

/** The server's own sentence on what went wrong. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    sentence: string,
    /** Which field it was typed in, where the server knows. */
    readonly field = '',
    /** What may have been meant. */
    readonly choices: string[] = [],
  ) {
    super(sentence)
  }
}

const NO_ANSWER = 'elsewhere does not answer: is it still running in its terminal?'

const STRANGER = 'this window is not connected: run `elsewhere app` and use its window'

let secret = ''
export const useSecret = (given: string): void => void (secret = given)

let lost = false
/** The server ended, or is not ours: nothing is sent any more. */
export const endForGood = (): void => void (lost = true)
export const hasEnded = (): boolean => lost

let answeredAt = 0
/** When the server last answered anything. */
export const lastAnswer = (): number => answeredAt

const proof = new Proof(async () => {
  const nonce = newNonce()
  const answer = await request('POST', '/api/proof', {}, { nonce })
  const { proof: given } = (await answer.json().catch(() => ({}))) as { proof?: string }
  if (given === (await expectedProof(secret, nonce))) return
  endForGood()
  throw new Problem(401, STRANGER)
})

async function send(method: string, path: string, body?: unknown, signal?: AbortSignal) {
  const form = body instanceof FormData
  if (secret) await (signal ? Promise.race([proof.require(form), aborted(signal)]) : proof.require(form))
  return request(method, path, { 'X-Elsewhere-Session': secret }, body, signal)
}

/** Rejects when the signal is given. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })

async function request(
  method: string, path: string, headers: Record<string, string>, body?: unknown, signal?: AbortSignal,
) {
  if (lost) throw new Problem(0, NO_ANSWER)
  const form = body instanceof FormData
  if (body !== undefined && !form) headers['Content-Type'] = 'application/json'
  let answer: Response
  try {
    answer = await fetch(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    })
  } catch (problem) {
    if (signal?.aborted) throw problem
    throw new Problem(0, NO_ANSWER)
  }
  answeredAt = Date.now()
  if (answer.ok) return answer
  const problem = (await answer.json().catch(() => ({}))) as { error?: string; field?: string; choices?: string[] }
  throw new Problem(answer.status, problem.error ?? 'something went wrong; see the terminal', problem.field, problem.choices)
}

async function ask<T>(method: string, path: string, body?: unknown, signal?: AbortSignal) {
  return (await (await send(method, path, body, signal)).json()) as T
}

async function* stream(path: string, signal?: AbortSignal): AsyncGenerator<Event> {
  const answer = await send('GET', path, undefined, signal)
  if (!answer.body) return
  try {
    yield* values<Event>(answer.body)
  } catch (problem) {
    if (signal?.aborted || !(problem instanceof TypeError)) throw problem
    throw new Problem(0, NO_ANSWER) // it ended in the middle of a word
  }
}

type Started = { job: Job }

export const openSession = (token: string) =>
  ask<{ secret: string; version: string }>('POST', '/api/session', { token })
export const alive = (signal: AbortSignal) => send('GET', '/api/alive', undefined, signal)
export const getWorkspace = () => ask<WorkspaceState>('GET', '/api/table')
export const openAlbum = (paths: string[], scorers: string[]) =>
  ask<Started>('POST', '/api/albums', { paths, scorers })
/** Forget a recent album and what was decided of it; null for all. */
export const forgetRecent = (paths: string[] | null) =>
  ask<WorkspaceState>('POST', '/api/recent/forget', { paths })
/** Read the text on the photos again where that failed, or go on without it. */
export const readText = (wanted: boolean) => ask<WorkspaceState>('POST', '/api/text', { wanted })
export const closeAlbum = () => ask<WorkspaceState>('DELETE', '/api/albums')
export const putWishes = (wishes: Wishes, turn: number) =>
  ask<Answer>('PUT', `/api/wishes?turn=${turn}`, wishes)
export const undo = (turn: number) => ask<Answer>('POST', `/api/undo?turn=${turn}`)
export const redo = (turn: number) => ask<Answer>('POST', `/api/redo?turn=${turn}`)
export const getPhotos = () => ask<Photo[]>('GET', '/api/photos')
export const getPhoto = (n: number, signal?: AbortSignal) =>
  ask<PhotoDetails>('GET', `/api/photos/${n}`, undefined, signal)
/** Of the first view that sees anything of what would be shared, where none is asked for. */
export const getBelief = (watch: number | null, signal?: AbortSignal) =>
  ask<Belief>('GET', watch === null ? '/api/guesses' : `/api/guesses?watch=${watch}`, undefined, signal)
export const getFolders = (path: string) =>
  ask<Folders>('GET', `/api/folders?path=${encodeURIComponent(path)}`)
export const startExport = (wish: ExportRequest) => ask<Started>('POST', '/api/export', wish)
/** Show the last copy in the file manager. */
export const openExported = () => send('POST', '/api/exported/open')
export const startVerify = () => ask<Started>('POST', '/api/verify')
export const getReport = () => ask<{ url: string }>('GET', '/api/report')
export const stopJob = (id: string) => ask<Job>('DELETE', `/api/jobs/${id}`)
export const jobEvents = (id: string, signal?: AbortSignal) =>
  stream(`/api/jobs/${id}/events`, signal)
export const prices = (signal?: AbortSignal) => stream('/api/prices', signal)
export const frontier = (signal?: AbortSignal) => stream('/api/frontier', signal)

export function upload(files: Dropped[]): Promise<Started> {
  const form = new FormData()
  for (const { file, path } of files) form.append('files', file, path)
  return ask<Started>('POST', '/api/uploads', form)
}
