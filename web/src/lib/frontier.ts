// The frontier as a chart with a slider. The current plan is a point of it, whatever the stream has
// sent so far: the slider and the headline name the same number.
import type { Plan, Point, Wishes } from './types'

/** A point; `old` where it was solved for other wishes and is being solved anew. */
export interface Step extends Point {
  old?: boolean
}

/**
 * What a point spends of a budget: photos withheld or, where photos are edited too, the loss in
 * photos. Plans that withhold as many may lose more or less.
 */
export const spent = (point: Pick<Point, 'withheld' | 'loss'>): number => point.loss ?? point.withheld

/** The least budget, a whole number, that allows a point. */
export const budgetOf = (point: Step): number => Math.max(0, Math.ceil(spent(point) - 1e-9))

/** A new point in its place; a later word on the same spending counts. */
export function withPoint(points: Step[], point: Step): Step[] {
  const rest = points.filter((other) => spent(other) !== spent(point))
  return [...rest, point].sort((a, b) => spent(a) - spent(b))
}

/**
 * The point that a budget buys. Without edits each number has its own. With edits there is one for
 * each loss that buys more: the last that is not beyond the budget, of which no more is known where
 * none follows it.
 */
export function bought(points: Step[], budget: number): Step | null {
  const same = points.find((point) => spent(point) === budget)
  if (same) return same
  const solved = points.filter((point) => !point.old && point.loss != null)
  const before = solved.filter((point) => spent(point) <= budget).at(-1)
  if (!before) return null
  return before === solved.at(-1) ? { ...before, proved: false } : before
}

/** All points as old ones: they stay in sight, and nothing is claimed of them any more. */
export const aged = (points: Step[]): Step[] => points.map((point) => ({ ...point, old: true }))

/** What is solved anew over what is shown; the old points stay until theirs are solved. */
export function over(shown: Step[], solved: Step[]): Step[] {
  return solved.reduce(withPoint, shown)
}

const found = (plan: Plan | null): plan is Plan =>
  plan?.status === 'optimal' || plan?.status === 'feasible'

/** The current plan as a point. */
export function ownPoint(plan: Plan | null): Step | null {
  if (!found(plan)) return null
  return {
    withheld: plan.withheld.length,
    protected_k: plan.protected_k,
    bound: plan.protected_k,
    proved: plan.proved,
    greedy_k: null,
    loss: plan.loss ?? null,
  }
}

/**
 * The points with the current plan. Within a budget it is proved the best for its number,
 * and for all up to the budget; for a top it is only proved that no fewer will do.
 */
export function withOwnPlan(points: Step[], plan: Plan | null, wishes: Wishes | null): Step[] {
  const own = ownPoint(plan)
  if (!own || !wishes) return points
  const k = own.protected_k
  const best = wishes.budget !== null && own.proved
  const upTo = best && typeof wishes.budget === 'number' ? wishes.budget : spent(own)
  const raised = points.map((point): Step => {
    if (spent(point) < spent(own) || point.old) return point
    if (best && spent(point) <= upTo) return { ...point, protected_k: k, bound: k, proved: true }
    if (point.protected_k >= k) return point
    return { ...point, protected_k: k, bound: Math.max(point.bound, k), proved: point.bound === k }
  })
  const known = raised.find((point) => spent(point) === spent(own))
  if (known && !known.old) return raised
  return withPoint(raised, { ...own, proved: best, greedy_k: known?.greedy_k ?? null })
}

/**
 * What the line runs through: what is solved, or, as long as that is no line, what was solved before,
 * and never both. Whoever may withhold more is no worse off, so it never falls.
 */
export function stairs(points: Step[]): [number, number][] {
  const solved = points.filter((point) => !point.old)
  const shown = solved.length > 1 ? solved : points.filter((point) => point.old)
  let best = 0
  return shown.map((point) => [spent(point), (best = Math.max(best, point.protected_k))])
}

/** Ranks span orders of magnitude: the height of a top, from 0 to 1. */
export function height(k: number, most: number): number {
  return most <= 0 ? 0 : Math.log1p(Math.max(0, k)) / Math.log1p(most)
}

export function mostShown(points: Step[]): number {
  return points.reduce((most, point) => Math.max(most, point.protected_k, point.greedy_k ?? 0), 1)
}

/** Round tops for the axis, as many as are not above `most` and do not lie upon each other. */
export function ticks(most: number, high = 86, apart = 13): number[] {
  const kept: number[] = []
  for (const tick of [0, 1, 5, 20, 100, 500, 2500]) {
    const last = kept.at(-1)
    const far = last === undefined || (height(tick, most) - height(last, most)) * high >= apart
    if (tick <= most && far) kept.push(tick)
  }
  return kept
}

const round = (loss: number): string => String(Math.round(loss * 100) / 100)

/** What a point buys, in words. */
export function pointWords(point: Step, photos: number): string {
  const what =
    point.loss != null
      ? point.loss === 0 ? 'Lose nothing' : `Lose as much as ${round(point.loss)} of ${photos} photos`
      : point.withheld === 0 ? 'Withhold nothing' : `Withhold ${point.withheld} of ${photos}`
  if (point.old) return `${what}: being worked out`
  const sure = point.proved ? '' : ' (perhaps better)'
  if (point.protected_k === 0) return `${what}: it may still be found first${sure}`
  const buys =
    point.protected_k === 1
      ? 'it is not the first guess'
      : `it is not among the first ${point.protected_k}`
  return `${what}: ${buys}${sure}`
}

/**
 * What greedy would need for what this point buys; empty where the point buys nothing, or is not
 * solved. `counted` is greedy's own number for the plan's promise, where it is known.
 */
export function greedyWords(points: Step[], at: Step, counted: number | null = null): string {
  if (at.old || at.protected_k === 0) return ''
  const solved = points.filter((point) => !point.old && point.greedy_k != null)
  if (counted === null && solved.length === 0) return ''
  const enough = solved.find((point) => (point.greedy_k ?? -1) >= at.protected_k)
  const needs = counted ?? (enough ? spent(enough) : null)
  if (needs === null && at.loss != null) return ''
  if (needs === null) return 'Taking out the most telling first finds no such plan.'
  if (needs <= spent(at)) return 'Taking out the most telling first does as well here.'
  if (at.loss != null) return `Editing the most telling first would lose as much as ${round(needs)} photos.`
  return `Taking out the most telling first would need ${needs} photos.`
}
