import { describe, expect, it } from 'vitest'
import type { Audit, Place, Plan } from './contract'
import {
  headline, listed, ordinal, percent, photoLabel, progressWords, proofWords, roughly, strongest,
  telling,
} from './words'

const audit: Audit = {
  verdict: 'From these 43 photos embedded finds Lisbon 1st of 512 places.', views: [], leaks: [], guesses: [],
}
const plan = (over: Partial<Plan>): Plan => ({
  version: 1, status: 'optimal', proved: true, withheld: [1, 2, 3], kept: [0], cost: 3, bound: 3,
  verdict: '', explanation: '', notes: [], protected_k: 5, rivals: [], greedy_withheld: null, ...over,
})
const lisbon: Place = { label: 'Lisbon', lat: 38.7, lon: -9.1, photos: [], by_time: [], hidden: true }

describe('the sentence at the top', () => {
  it('says what is found and what to withhold', () => {
    expect(headline(audit, plan({}), [lisbon])).toBe(
      'From these 43 photos embedded finds Lisbon 1st of 512 places; withhold 3 and it is not among the first 5.',
    )
  })
  it('knows one guess, several places and nothing to withhold', () => {
    expect(headline(audit, plan({ protected_k: 1 }), [lisbon])).toContain('it is not the first guess.')
    expect(headline(audit, plan({ withheld: [] }), [lisbon, { ...lisbon, label: 'Porto' }])).toContain(
      'withhold nothing and none is among the first 5.',
    )
  })
  it('promises nothing where nothing is promised', () => {
    expect(headline(audit, plan({ status: 'infeasible' }), [lisbon])).toContain('nothing that could be withheld')
    expect(headline(audit, plan({ status: 'unknown' }), [lisbon])).toContain('being looked for')
    expect(headline(audit, plan({ protected_k: 0 }), [lisbon])).toContain('may still be found first')
    expect(headline(audit, null, [])).toBe(audit.verdict)
  })
  it('never calls a plan proved that is not', () => {
    expect(proofWords(plan({ status: 'feasible', proved: false }))).not.toContain('proved')
    expect(proofWords(plan({}))).toContain('proved the fewest')
    expect(proofWords(plan({}), true)).not.toContain('fewest') // a budget may be spent in vain
  })
})

describe('a photo', () => {
  it('is measured against the strongest', () => {
    expect(strongest([-4, 2, null])).toBe(4)
    expect(telling(-4, 4)).toEqual({ at: -1, words: 'gives away much' })
    expect(telling(1, 4)).toEqual({ at: 0.5, words: 'hides something' })
    expect(telling(-0.3, 4)?.words).toBe('gives away a little')
    expect(telling(0.001, 4)?.words).toBe('tells next to nothing')
    expect(telling(null, 4)).toBeNull()
    expect(telling(3, 0)?.at).toBe(0)
  })
  it('is told to whoever does not see it', () => {
    expect(photoLabel('a.jpg', 'kept', telling(-4, 4), 2)).toBe(
      'a.jpg, pinned, gives away much, alone it puts the place 2nd',
    )
  })
})

describe('numbers', () => {
  it('are said as people say them', () => {
    expect([1, 2, 3, 4, 11, 12, 13, 21, 112, 1003].map(ordinal)).toEqual([
      '1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '112th', '1,003rd',
    ])
    expect([0.0004, 0.034, 0.5, 0.999, 1].map(percent)).toEqual([
      'under 0.1 %', '3.4 %', '50 %', 'over 99 %', '100 %',
    ])
    expect([0.4, 45, 600, 7200].map(roughly)).toEqual(['a moment', '45 s', '10 min', '2.0 h'])
    expect(listed(['a', 'b', 'c'])).toBe('a, b and c')
  })
  it('of progress are those that are known', () => {
    expect(progressWords({ count: 3, total: 12, per_second: 2.5, left_s: 3.6 })).toBe(
      '3 of 12 · 2.5 a second · 4 s left',
    )
    expect(progressWords({})).toBe('')
  })
})
