import { describe, expect, it } from 'vitest'
import type { Plan, Wishes } from './types'
import {
  aged, bought, budgetOf, greedyWords, height, withOwnPlan, mostShown, over, ownPoint, pointWords, stairs, ticks, withPoint,
  type Step,
} from './frontier'

const at = (withheld: number, k: number, proved = true, greedy?: number): Step => ({
  withheld, protected_k: k, bound: proved ? k : k + 9, proved, greedy_k: greedy ?? null, loss: null,
})
const plan = (withheld: number, k: number, more: Partial<Plan> = {}): Plan =>
  ({ status: 'optimal', proved: true, withheld: [...Array(withheld).keys()], protected_k: k, ...more }) as Plan
const top = { top: 5, budget: null } as Wishes
const within = (budget: number) => ({ top: null, budget }) as Wishes

it('keeps points in order and takes the later word', () => {
  const points = [at(1, 2), at(0, 0)].reduce(withPoint, [] as Step[])
  expect(withPoint(points, at(1, 3)).map((one) => one.protected_k)).toEqual([0, 3])
  expect(over(aged([at(0, 9), at(1, 9)]), [at(1, 3)]).map((one) => one.old ?? false)).toEqual([true, false])
})

describe('the plan on the table', () => {
  it('is a point of the frontier whatever the stream said', () => {
    const points = withOwnPlan([at(6, 20), at(7, 24, false), at(8, 30, false)], plan(7, 44), within(7))
    expect(points.map((one) => [one.withheld, one.protected_k, one.proved])).toEqual([
      [6, 20, true], [7, 44, true], [8, 44, false],
    ])
  })
  it('is there where nothing was solved yet, and where only old points are', () => {
    expect(withOwnPlan([], plan(17, 5), top)).toMatchObject([{ withheld: 17, protected_k: 5 }])
    const [old, own] = withOwnPlan(aged([at(0, 0), at(3, 0)]), plan(3, 7), within(3))
    expect([old?.old, own?.old ?? false, own?.protected_k]).toEqual([true, false, 7])
  })
  it('under a top is not called the best that its number can do', () => {
    expect(withOwnPlan([at(5, 24)], plan(5, 13), top)[0]).toMatchObject({ protected_k: 24, proved: true })
    expect(withOwnPlan([], plan(5, 13), top)[0]).toMatchObject({ protected_k: 13, proved: false })
    expect(ownPoint(plan(5, 13))).toMatchObject({ withheld: 5, protected_k: 13, proved: true })
  })
  it('within a budget that buys nothing more is the best up to the budget', () => {
    const points = withOwnPlan([at(0, 0), at(1, 0, false), at(2, 0, false)], plan(0, 0), within(1))
    expect(points.map((one) => one.proved)).toEqual([true, true, false])
  })
  it('changes nothing where there is none', () => {
    const points = [at(0, 0)]
    expect(withOwnPlan(points, plan(0, 0, { status: 'infeasible' }), top)).toBe(points)
    expect(ownPoint(null)).toBeNull()
  })
})

it('says what a point buys, and nothing of one that is being solved', () => {
  expect(pointWords(at(0, 0), 12)).toBe('Withhold nothing: it may still be found first')
  expect(pointWords(at(3, 1), 12)).toBe('Withhold 3 of 12: it is not the first guess')
  expect(pointWords(at(3, 7, false), 12)).toBe('Withhold 3 of 12: it is not among the first 7 (perhaps better)')
  expect(pointWords({ ...at(3, 7), old: true }, 12)).toBe('Withhold 3 of 12: being worked out')
})

describe('greedy', () => {
  const points = [at(2, 3, true, 0), at(3, 7, true, 3), at(6, 24, true, 7), at(10, 149, false, 149), at(11, 149, false, 149)]
  it('needs more, or does as well; never fewer', () => {
    expect(greedyWords(points, points[1]!)).toBe('Taking out the most telling first would need 6 photos.')
    expect(greedyWords(points, points[4]!)).toBe('Taking out the most telling first does as well here.')
    expect(greedyWords(points, points[1]!, 2)).toBe('Taking out the most telling first does as well here.')
    expect(greedyWords(points, at(8, 500))).toBe('Taking out the most telling first finds no such plan.')
  })
  it('is not spoken of where nothing is bought or solved', () => {
    expect(greedyWords(points, at(1, 0))).toBe('')
    expect(greedyWords(points, { ...at(3, 7), old: true })).toBe('')
    expect(greedyWords(aged(points), at(3, 7))).toBe('')
  })
})

it('draws heights and ticks that do not lie upon each other', () => {
  expect(height(0, 10)).toBe(0)
  expect(height(10, 10)).toBe(1)
  expect(mostShown([at(1, 4), at(2, 9, true, 12)])).toBe(12)
  expect(ticks(1)).toEqual([0, 1])
  expect(ticks(149)).toEqual([0, 5, 20, 100])
})

describe('the line through the points', () => {
  it('never falls, and never mixes what is solved with what was', () => {
    const mixed = over(aged([at(0, 9), at(1, 30), at(2, 40)]), [at(0, 2), at(2, 12)])
    expect(stairs(mixed)).toEqual([[0, 2], [2, 12]])
    expect(stairs([at(0, 0), at(1, 8, false), at(2, 5, false), at(3, 9)]).map(([, k]) => k)).toEqual([0, 8, 8, 9])
  })
  it('is the old one as long as nothing is solved but the plan itself', () => {
    expect(stairs(withPoint(aged([at(0, 1), at(2, 4)]), at(1, 9)))).toEqual([[0, 1], [2, 4]])
    expect(stairs([at(3, 5)])).toEqual([])
  })
})

describe('where photos are edited', () => {
  const losing = (loss: number, withheld: number, k: number): Step => ({ ...at(withheld, k), loss })
  const points = [losing(0, 0, 0), losing(0.2, 0, 3), losing(0.7, 0, 5), losing(1.1, 0, 9)]
  it('keeps every loss, also of plans that withhold as many', () => {
    expect(points.reduce(withPoint, [] as Step[]).map((one) => one.protected_k)).toEqual([0, 3, 5, 9])
    expect(stairs(points)).toEqual([[0, 0], [0.2, 3], [0.7, 5], [1.1, 9]])
  })
  it('takes a budget for a loss', () => {
    expect(bought(points, 1)).toMatchObject({ protected_k: 5, proved: true })
    expect(bought(points, 2)).toMatchObject({ protected_k: 9, proved: false })
    expect(bought(aged(points), 1)).toBeNull()
    expect(bought([at(1, 4), at(3, 6)], 2)).toBeNull()
    expect(points.map(budgetOf)).toEqual([0, 1, 1, 2])
  })
  it('has the plan at its loss, and says so', () => {
    const own = plan(0, 5, { loss: 0.7 })
    expect(withOwnPlan([losing(0, 0, 0), losing(2, 1, 4)], own, within(1))).toMatchObject([
      { loss: 0 }, { loss: 0.7, protected_k: 5, proved: true }, { loss: 2, protected_k: 5 },
    ])
    expect(pointWords(losing(0.7, 0, 5), 12)).toBe('Lose as much as 0.7 of 12 photos: it is not among the first 5')
    expect(pointWords(losing(0, 0, 0), 12)).toBe('Lose nothing: it may still be found first')
    const greedy = [...points, { ...losing(3, 1, 9), greedy_k: 9 }]
    expect(greedyWords(greedy, points[3]!)).toBe('Editing the most telling first would lose as much as 3 photos.')
  })
})
