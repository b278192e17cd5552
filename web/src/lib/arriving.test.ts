import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Arriving, MOST, PACE } from './arriving'
import type { Event } from './types'

const laid = (n: number): Event => ({
  stage: 'reading', count: n + 1, photo: { n, id: `${n}.jpg`, width: 4, height: 3, thumb: '',
    share: null, own_rank: null, place: null, posted: false, state: 'seen' },
})

describe('what a job tells', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is shown a few times a second, and never too much of it', () => {
    const shown: number[] = []
    let last: Event | null = null
    const arriving = new Arriving((photos, _, event) => {
      shown.push(photos.length)
      last = event ?? last
    })
    for (let n = 0; n < 2 * MOST + 1; n++) arriving.add(laid(n))
    expect(shown).toEqual([])
    vi.advanceTimersByTime(PACE)
    expect(shown).toEqual([MOST])
    expect(last).toMatchObject({ count: 2 * MOST + 1, photo: null })
    vi.advanceTimersByTime(10 * PACE)
    expect(shown).toEqual([MOST, MOST, 1])
  })
  it('comes in its order, and all of it', () => {
    const seen: number[] = []
    const lost: string[] = []
    const arriving = new Arriving((photos, left) => {
      seen.push(...photos.map((one) => one.n))
      lost.push(...left.map((one) => one.name))
    })
    arriving.add(laid(0))
    arriving.add({ stage: 'reading', left: [{ name: 'a.txt', kind: 'other', reason: '', lost: false }] })
    vi.advanceTimersByTime(PACE)
    arriving.add(laid(1))
    vi.advanceTimersByTime(PACE)
    expect(seen).toEqual([0, 1])
    expect(lost).toEqual(['a.txt'])
  })
})
