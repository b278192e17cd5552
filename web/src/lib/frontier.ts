// The frontier as a chart with a slider. The current plan is a point of it, whatever the stream has
// sent so far: the slider and the headline name the same number.
import type { Plan, Point, Wishes } from './types'

/** A point; `old` where it was solved for other wishes and is being solved anew. */
export interface Step extends Point {
  old?: boolean
}

/** A new point in its place; a later word on the same number counts. */
export function withPoint(points: Step[], point: Step): Step[] {
  const rest = points.filter((other) => other.withheld !== point.withheld)
  return [...rest, point].sort((a, b) => a.withheld - b.withheld)
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
  const upTo = best && typeof wishes.budget === 'number' ? wishes.budget : own.withheld
  const raised = points.map((point): Step => {
    if (point.withheld < own.withheld || point.old) return point
    if (best && point.withheld <= upTo) return { ...point, protected_k: k, bound: k, proved: true }
    if (point.protected_k >= k) return point
    return { ...point, protected_k: k, bound: Math.max(point.bound, k), proved: point.bound === k }
  })
  const known = raised.find((point) => point.withheld === own.withheld)
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
  return shown.map((point) => [point.withheld, (best = Math.max(best, point.protected_k))])
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

/** What a point buys, in words. */
export function pointWords(point: Step, photos: number): string {
  const what = point.withheld === 0 ? 'Withhold nothing' : `Withhold ${point.withheld} of ${photos}`
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
  const needs = counted ?? enough?.withheld ?? null
  if (needs === null) return 'Taking out the most telling first finds no such plan.'
  if (needs <= at.withheld) return 'Taking out the most telling first does as well here.'
  return `Taking out the most telling first would need ${needs} photos.`
}
