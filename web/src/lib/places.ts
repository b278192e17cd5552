// Which places of an album are listed, and which widths mean something there.
import type { Place } from './types'

const FIRST = 10
const FEW = 2 // more than the first, for which nothing is left out

/** The first places and those that are hidden, as long as these are few. */
export function firstPlaces(places: Place[]): Place[] {
  if (places.length <= FIRST + FEW) return places
  const hidden = places.filter((place) => place.hidden).length
  return places.filter((place, n) => n < FIRST || (place.hidden && hidden <= FIRST))
}

/** Whether a radius, as a word of the list, is finer than cells of so many km; 0: not known. */
export const tooFine = (width: string, cellKm: number): boolean => 2 * Number(width) < cellKm
