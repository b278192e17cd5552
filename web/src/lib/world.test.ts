import type { GeoProjection } from 'd3-geo'
import { expect, it } from 'vitest'
import { HIGH, WIDE, around, outline, point, world } from './world'

it('is drawn once for the same look, and anew for another', () => {
  const lisbon: [number, number][] = [[-9.1, 38.7], [2.3, 48.9]]
  const first = outline(around(lisbon))
  expect(outline(around([...lisbon]))).toBe(first)
  expect(outline(world()).land).not.toBe(first.land)
  expect(outline(around(lisbon))).toEqual(first)
})

const SOME: [number, number][] = [
  [78.04, 27.18], [76.46, 15.34], [-68.3, -54.8], [15.6, 78.2], [178.4, -18.1], [-155.6, 19.9], [2.35, 48.86],
  [37.62, 55.75], [-9.14, 38.72], [174.76, -41.29], [79.86, 6.93], [39.2, -6.8], [-77.03, -12.05], [-179.2, 66],
]

/** How far what is hidden lies from the edge of the map; negative where it is not shown. */
function clear(projection: GeoProjection, place: [number, number]): number {
  const at = point(projection, ...place)
  return at ? Math.min(at[0], WIDE - at[0], at[1], HIGH - at[1]) : -1
}

it('always shows what is hidden, clear of the edge, whatever the decoys are', () => {
  for (const place of SOME) {
    expect(clear(world(place), place), `${place}`).toBeGreaterThan(11)
    for (const one of SOME)
      for (const other of SOME) {
        const places = [place, one, other, SOME[0]!]
        expect(clear(around(places), place), `${places}`).toBeGreaterThan(11)
      }
  }
})
