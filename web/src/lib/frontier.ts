// The frontier as something to look at and to slide along.
import type { Point } from './contract'

export interface Stair {
  points: Point[]
  /** So many photos greedy withholds for what was asked. */
  greedy: number | null
}

/** A new point in its place; a later word on the same number counts. */
export function withPoint(points: Point[], point: Point): Point[] {
  const rest = points.filter((one) => one.withheld !== point.withheld)
  return [...rest, point].sort((a, b) => a.withheld - b.withheld)
}

/** What is solved anew over what is shown; the old points stay until theirs are solved, so that nobody's slider goes away. */
export function over(shown: Point[], solved: Point[]): Point[] {
  return solved.reduce(withPoint, shown)
}

/** Ranks span orders of magnitude: the height of a top, from 0 to 1. */
export function height(k: number, most: number): number {
  return most <= 0 ? 0 : Math.log1p(Math.max(0, k)) / Math.log1p(most)
}

export function mostShown(points: Point[]): number {
  return points.reduce((most, one) => Math.max(most, one.protected_k, one.greedy_k ?? 0), 1)
}

/** Round tops for the axis, as many as are not above `most`. */
export function ticks(most: number): number[] {
  return [0, 1, 5, 20, 100, 500, 2500].filter((one) => one <= most)
}

/** What a point buys, in words. */
export function pointWords(point: Point, photos: number): string {
  const what = point.withheld === 0 ? 'Withhold nothing' : `Withhold ${point.withheld} of ${photos}`
  if (point.protected_k === 0) return `${what}: the place may be the first guess`
  const buys =
    point.protected_k === 1
      ? 'it is not the first guess'
      : `it is not among the first ${point.protected_k}`
  return `${what}: ${buys}${point.proved ? '' : ' (perhaps better)'}`
}

/** What greedy would need for what this point buys, where that is more. */
export function greedyNeeds(points: Point[], at: Point): number | null {
  const enough = points.find((one) => (one.greedy_k ?? -1) >= at.protected_k)
  return enough ? enough.withheld : null
}
