import { describe, expect, it } from 'vitest'
import type { Point } from './contract'
import { greedyNeeds, height, mostShown, over, pointWords, ticks, withPoint } from './frontier'

const point = (withheld: number, protected_k: number, greedy_k: number | null = null): Point => ({
  withheld, protected_k, bound: protected_k, proved: true, greedy_k,
})

describe('the frontier', () => {
  it('is in order however its points come', () => {
    const points = [point(2, 3), point(0, 0), point(1, 1), point(2, 4)].reduce(withPoint, [] as Point[])
    expect(points.map((one) => [one.withheld, one.protected_k])).toEqual([[0, 0], [1, 1], [2, 4]])
  })
  it('keeps what is shown until it is solved anew', () => {
    const shown = [point(0, 0), point(1, 2), point(2, 4)]
    expect(over(shown, [point(0, 1)]).map((one) => one.protected_k)).toEqual([1, 2, 4])
  })
  it('says what greedy would need', () => {
    const points = [point(0, 0, 0), point(3, 7, 4), point(6, 22, 20)]
    expect(greedyNeeds(points, points[1]!)).toBe(6)
    expect(greedyNeeds(points, points[2]!)).toBeNull()
  })
  it('says what a point buys, and that an open one may buy more', () => {
    expect(pointWords(point(0, 0), 12)).toBe('Withhold nothing: the place may be the first guess')
    expect(pointWords(point(3, 7), 12)).toBe('Withhold 3 of 12: it is not among the first 7')
    expect(pointWords({ ...point(3, 1), proved: false }, 12)).toContain('(perhaps better)')
  })
  it('grows from nothing to the most', () => {
    expect(mostShown([point(0, 0), point(2, 9, 30)])).toBe(30)
    expect(height(0, 30)).toBe(0)
    expect(height(30, 30)).toBe(1)
    expect(ticks(30)).toEqual([0, 1, 5, 20])
  })
})
