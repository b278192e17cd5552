import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Watch, type Gone } from './watch'

class Unanswered extends Error {}

let how: 'answers' | 'refuses' | 'hangs' | 'complains'
let knocks: number
let heard: number
let seen: boolean
let told: Gone[]

const made = () =>
  new Watch({
    knock: (signal) => {
      knocks++
      if (how === 'refuses') return Promise.reject(new Unanswered())
      if (how === 'complains') return Promise.reject(new Error('no'))
      if (how === 'hangs')
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error())))
      return Promise.resolve()
    },
    heard: () => heard,
    seen: () => seen,
    tell: (gone) => told.push(gone),
    unanswered: (problem) => problem instanceof Unanswered,
  })

beforeEach(() => {
  vi.useFakeTimers()
  how = 'answers'
  knocks = 0
  heard = 0
  seen = true
  told = []
})
afterEach(() => vi.useRealTimers())

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

it('knocks now and then, and says when nobody answers', async () => {
  made().begin()
  await pass(9_500)
  expect(knocks).toBe(3)
  expect(told).toEqual([])
  how = 'refuses'
  await pass(3_000)
  expect(told).toEqual(['ended'])
})

it('does not knock while the server is heard of anyway', async () => {
  made().begin()
  for (let n = 0; n < 10; n++) {
    heard = Date.now() + 2_000
    await pass(2_000)
  }
  expect(knocks).toBe(0)
})

it('does not knock while nobody looks, and does so at once when somebody does', async () => {
  const watch = made()
  watch.begin()
  seen = false
  await pass(60_000)
  expect(knocks).toBe(0)
  how = 'refuses'
  seen = true
  await watch.look()
  expect(told).toEqual(['ended'])
})

it('calls a server silent that takes the knock and says nothing, and hears it come back', async () => {
  how = 'hangs'
  made().begin()
  await pass(12_500)
  expect(told).toEqual([])
  await pass(1_000)
  expect(told).toEqual(['silent'])
  how = 'answers'
  await pass(11_000)
  expect(told).toEqual(['silent', ''])
})

it('takes a complaint for an answer', async () => {
  how = 'complains'
  made().begin()
  await pass(10_000)
  expect(knocks).toBe(3)
  expect(told).toEqual([])
})

it('knocks seldom once nobody answers', async () => {
  how = 'refuses'
  made().begin()
  await pass(33_500)
  expect(knocks).toBe(4)
  expect(told).toEqual(['ended'])
})
