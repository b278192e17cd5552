import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EventBuffer, isLater, MAX_PHOTOS, INTERVAL } from './eventBuffer'
import type { Event } from './types'

const readPhoto = (n: number): Event => ({
  stage: 'reading', count: n + 1, photo: { n, id: `${n}.jpg`, width: 4, height: 3, thumb: '',
    share: null, own_rank: null, place: null, posted: false, state: 'seen' },
})

describe('what a job tells', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is shown a few times a second, and never too much of it', () => {
    const shown: number[] = []
    let last: Event | null = null
    const buffer = new EventBuffer((photos, _, event) => {
      shown.push(photos.length)
      last = event ?? last
    })
    for (let n = 0; n < 2 * MAX_PHOTOS + 1; n++) buffer.add(readPhoto(n))
    expect(shown).toEqual([])
    vi.advanceTimersByTime(INTERVAL)
    expect(shown).toEqual([MAX_PHOTOS])
    expect(last).toMatchObject({ count: 2 * MAX_PHOTOS + 1, photo: null })
    vi.advanceTimersByTime(10 * INTERVAL)
    expect(shown).toEqual([MAX_PHOTOS, MAX_PHOTOS, 1])
  })
  it('comes in its order, and all of it', () => {
    const seen: number[] = []
    const lost: string[] = []
    const buffer = new EventBuffer((photos, left) => {
      seen.push(...photos.map((one) => one.n))
      lost.push(...left.map((one) => one.name))
    })
    buffer.add(readPhoto(0))
    buffer.add({ stage: 'reading', left: [{ name: 'a.txt', kind: 'other', reason: '', lost: false }] })
    vi.advanceTimersByTime(INTERVAL)
    buffer.add(readPhoto(1))
    vi.advanceTimersByTime(INTERVAL)
    expect(seen).toEqual([0, 1])
    expect(lost).toEqual(['a.txt'])
  })
})

it('never turns back from scoring to reading', () => {
  expect(isLater({ stage: 'reading' }, {})).toBe(true)
  expect(isLater({ stage: 'scoring' }, { stage: 'reading' })).toBe(true)
  expect(isLater({ stage: 'scoring', count: 2 }, { stage: 'scoring', count: 1 })).toBe(true)
  expect(isLater({ stage: 'reading' }, { stage: 'scoring' })).toBe(false)
})
