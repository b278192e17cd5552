import { describe, expect, test } from 'vitest'
import { arrow, CORNERS, LEAST, moved, sameEdit, sidesWords, WHOLE, type Handle } from './rectangles'
import type { Sides } from './types'

const corner = (wanted: string): Handle => CORNERS.find(([name]) => name === wanted)![1]
const SIDES: Sides = [100, 200, 500, 600]

describe('handles', () => {
  test('a corner moves its two sides', () => {
    expect(moved(SIDES, corner('top left'), 20, -50)).toEqual([120, 150, 500, 600])
    expect(moved(SIDES, corner('bottom right'), 20, -50)).toEqual([100, 200, 520, 550])
  })
  test('a rectangle stays in the picture and keeps a least size', () => {
    expect(moved(SIDES, corner('top left'), -900, 900)).toEqual([0, 600 - LEAST, 500, 600])
    expect(moved(SIDES, corner('bottom right'), 900, 900)).toEqual([100, 200, 1000, 1000])
  })
  test('the whole rectangle moves without changing its size', () => {
    expect(moved(SIDES, WHOLE, -500, 900)).toEqual([0, 600, 400, 1000])
  })
  test('positions are whole numbers', () => {
    expect(moved(SIDES, WHOLE, 0.4, 1.6)).toEqual([100, 202, 500, 602])
  })
  test('arrow keys move by a hundredth, with shift by five', () => {
    expect(arrow('ArrowLeft', false)).toEqual([-10, 0])
    expect(arrow('ArrowDown', true)).toEqual([0, 50])
    expect(arrow('Enter', false)).toBeNull()
  })
})

describe('edits', () => {
  test('the order of covers does not matter', () => {
    const some = { crop: null, covers: [SIDES, [0, 0, 10, 10]] as Sides[] }
    expect(sameEdit(some, { crop: null, covers: [[0, 0, 10, 10], SIDES] })).toBe(true)
    expect(sameEdit(some, { crop: SIDES, covers: some.covers })).toBe(false)
  })
  test('a rectangle is told in words', () => {
    expect(sidesWords(SIDES)).toBe('from 10 % to 50 % across, 20 % to 60 % down')
  })
})
