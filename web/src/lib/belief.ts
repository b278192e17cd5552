// What is drawn on the map: beliefs as discs whose area is the probability.
import type { Guess } from './contract'

export interface Spot {
  key: number
  name: string
  lon: number
  lat: number
  p: number
}

/** Those that have a position and are more than nothing, the smallest last, so that it lies on top. */
export function spots(guesses: Guess[]): Spot[] {
  return guesses
    .filter((one) => one.lat !== null && one.lon !== null && one.p >= 0.002)
    .map((one) => ({ key: one.cell, name: one.name, lon: one.lon!, lat: one.lat!, p: one.p }))
    .sort((a, b) => b.p - a.p)
}

export const radius = (p: number, widest: number): number => Math.max(1.8, Math.sqrt(p) * widest)

/** A box as a ring along its parallels, clockwise as d3 wants it. */
export function ring([south, west, north, east]: [number, number, number, number]): [number, number][] {
  const steps = 8
  const along = (lat: number, from: number, to: number): [number, number][] =>
    Array.from({ length: steps + 1 }, (_, i) => [from + ((to - from) * i) / steps, lat])
  return [...along(north, west, east), ...along(south, east, west), [west, north]]
}

/** The place's name without its country, for a small label. */
export const short = (name: string): string => name.split(',')[0] ?? name
