// What is drawn on the map: beliefs as discs whose area is the probability.
import type { Guess } from './types'
import { ordinal, percent } from './text'

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
    .filter((guess) => guess.lat !== null && guess.lon !== null && guess.p >= 0.002)
    .map((guess) => ({ key: guess.cell, name: guess.name, lon: guess.lon!, lat: guess.lat!, p: guess.p }))
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
export const short = (name: string): string => (name.split(',')[0] ?? name).replace(/^a place (?=\d)/, '')

/** How near a guess must be, and the largest rank that counts; null where cells are guessed. */
export interface Nearness {
  radius_km: number | null
  rank_limit: number | null
}

/** Where the place stands and what is guessed first, in words. A first guess that is near is a find. */
export function believed(hides: string, rank: number | null, best: Guess | undefined, near: Nearness): string {
  const chance = best ? ` (${percent(best.p)})` : ''
  if (rank && near.rank_limit !== null && rank > near.rank_limit) {
    const first = best ? ` First guess: ${best.name}${chance}.` : ''
    return `None of its first ${near.rank_limit} guesses is near ${short(hides)}.${first}`
  }
  if (!rank) return best ? `First guess: ${best.name}${chance}.` : ''
  if (rank > 1) {
    const first = best ? ` First guess: ${best.name}${chance}.` : ''
    return `${short(hides)} comes ${ordinal(rank)}.${first}`
  }
  if (!best) return `${short(hides)} comes first.`
  if (short(best.name) === short(hides)) return `First guess: ${best.name}${chance}.`
  const where = near.radius_km === null ? 'in the zone' : `within ${near.radius_km} km`
  return `First guess: ${short(best.name)}, ${where} of ${short(hides)}${chance}.`
}

export interface Label {
  name: string
  x: number
  y: number
  anchor: 'start' | 'end' | 'middle'
}

interface Box {
  left: number
  right: number
  top: number
  bottom: number
}

const LETTER = 5.6 // pixels, on the wide side
const LINE = 11

/** Names beside their signs, each where nothing is in its way; one that fits nowhere is left out. */
export function labels(signs: { name: string; x: number; y: number; gap?: number }[], wide: number, high: number): Label[] {
  const around = (x: number, y: number, r: number): Box => ({ left: x - r, right: x + r, top: y - r, bottom: y + r })
  const taken = signs.map((sign) => around(sign.x, sign.y, 5))
  const apart = (a: Box, b: Box) =>
    a.right < b.left || b.right < a.left || a.bottom < b.top || b.bottom < a.top
  const placed: Label[] = []
  for (const { name, x, y, gap = 8 } of signs) {
    const long = name.length * LETTER
    const ways: [Label['anchor'], number, number][] = [
      ['start', x + gap, y + 4], ['end', x - gap, y + 4], ['middle', x, y - gap - 1], ['middle', x, y + gap + 9],
    ]
    for (const [anchor, at, base] of ways) {
      const left = anchor === 'start' ? at : anchor === 'end' ? at - long : at - long / 2
      const box = { left, right: left + long, top: base - LINE + 2, bottom: base + 2 }
      const inside = box.left >= 2 && box.right <= wide - 2 && box.top >= 2 && box.bottom <= high - 2
      if (!inside || !taken.every((other) => apart(other, box))) continue
      taken.push(box)
      placed.push({ name, x: at, y: base, anchor })
      break
    }
  }
  return placed
}
