import { expect, it } from 'vitest'
import { firstPlaces, tooFine } from './places'
import type { Place } from './types'

const made = (count: number, hidden: number[]) =>
  Array.from({ length: count }, (_, n) => ({ label: `${n}`, hidden: hidden.includes(n) }) as Place)
const labels = (places: Place[]) => places.map((place) => Number(place.label))

it('lists the first ten places, and those that are hidden', () => {
  expect(labels(firstPlaces(made(12, [])))).toHaveLength(12)
  expect(labels(firstPlaces(made(30, [3])))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(labels(firstPlaces(made(30, [3, 27])))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 27])
  expect(firstPlaces(made(30, Array.from({ length: 30 }, (_, n) => n)))).toHaveLength(10)
})

it('knows which widths the model cannot tell', () => {
  expect(['5', '10', '25', 'city', 'country'].map((width) => tooFine(width, 24))).toEqual([true, true, false, false, false])
  expect(tooFine('5', 0)).toBe(false)
})
