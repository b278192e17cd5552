import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Heartbeat, type Outage } from './heartbeat'

class Unanswered extends Error {}

let how: 'answers' | 'refuses' | 'hangs' | 'complains'
let knocks: number
let lastAnswer: number
let visible: boolean
let told: Outage[]

const made = () =>
  new Heartbeat({
    ping: (signal) => {
      knocks++
      if (how === 'refuses') return Promise.reject(new Unanswered())
      if (how === 'complains') return Promise.reject(new Error('no'))
      if (how === 'hangs')
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error())))
      return Promise.resolve()
    },
    lastAnswer: () => lastAnswer,
    visible: () => visible,
    report: (gone) => told.push(gone),
    unanswered: (problem) => problem instanceof Unanswered,
  })

beforeEach(() => {
  vi.useFakeTimers()
  how = 'answers'
  knocks = 0
  lastAnswer = 0
  visible = true
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

it('does not ping while the server is lastAnswer of anyway', async () => {
  made().begin()
  for (let n = 0; n < 10; n++) {
    lastAnswer = Date.now() + 2_000
    await pass(2_000)
  }
  expect(knocks).toBe(0)
})

it('does not ping while nobody looks, and does so at once when somebody does', async () => {
  const watch = made()
  watch.begin()
  visible = false
  await pass(60_000)
  expect(knocks).toBe(0)
  how = 'refuses'
  visible = true
  await watch.check()
  expect(told).toEqual(['ended'])
})

it('calls a server silent that takes the ping and says nothing, and hears it come back', async () => {
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

it('knocks no more once the server has ended: whoever answers then is somebody else', async () => {
  how = 'refuses'
  const watch = made()
  watch.begin()
  await pass(3_500)
  expect(told).toEqual(['ended'])
  how = 'answers'
  await watch.check()
  await pass(60_000)
  expect(knocks).toBe(1)
  expect(told).toEqual(['ended'])
})
