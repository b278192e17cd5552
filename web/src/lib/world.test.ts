import { expect, it } from 'vitest'
import { around, outline, world } from './world'

it('is drawn once for the same look, and anew for another', () => {
  const lisbon: [number, number][] = [[-9.1, 38.7], [2.3, 48.9]]
  const first = outline(around(lisbon))
  expect(outline(around([...lisbon]))).toBe(first)
  expect(outline(world()).land).not.toBe(first.land)
  expect(outline(around(lisbon))).toEqual(first)
})
