import type { GeoProjection } from 'd3-geo'
import { expect, it } from 'vitest'
import { HIGH, SMALL, WIDE, around, circles, heat, outline, point, scaleBar, views, world } from './world'

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
    expect(clear(world([place]), place), `${place}`).toBeGreaterThan(11)
    for (const one of SOME)
      for (const other of SOME) {
        const places = [place, one, other, SOME[0]!]
        expect(clear(around(places), place), `${places}`).toBeGreaterThan(11)
      }
  }
})

it('shows the whole world with all that is hidden, however far apart', () => {
  for (const one of SOME)
    for (const other of SOME) {
      const whole = world([one, other])
      for (const place of [one, other]) expect(clear(whole, place), `${one} ${other}`).toBeGreaterThan(11)
    }
})

it('comes near enough for a circle of 25 km, step by step', () => {
  const tarascon: [number, number] = [4.66, 43.81]
  const { looks: all, usual } = views([tarascon], [[-0.1, 51.5], [13.4, 52.5]], 25)
  expect(usual).toBe(1)
  expect(all.length).toBeGreaterThan(3)
  const scales = all.map((view) => view.scale())
  expect(scales).toEqual([...scales].sort((a, b) => a - b))
  for (const view of all) expect(clear(view, tarascon)).toBeGreaterThan(11)
  const last = all[all.length - 1]!
  const [, left] = /^M([\d.]+)/.exec(circles(last, [[43.81, 4.66]], 25))!
  expect(Number(left)).toBeGreaterThan(WIDE / 2 - 40)
  expect(point(last, 4.66 + 25 / 80, 43.81)![0] - WIDE / 2).toBeGreaterThan(25)
  expect(views([], [], 25).looks).toHaveLength(1)
  // a whole country is no closer than its neighbourhood
  expect(views([tarascon], [], 400).looks).toHaveLength(2)
  // where all of the world matters, that is what is shown first
  expect(views([tarascon, [-155, 20], [151, -34]], [], 25).usual).toBe(0)
})

it('shows a larger map with the same places', () => {
  const frame = { wide: 900, high: 500 }
  for (const view of views([[4.66, 43.81], [-58.4, -34.6]], [[-0.1, 51.5]], 25, frame).looks.slice(0, 1))
    for (const [lon, lat] of [[4.66, 43.81], [-58.4, -34.6]] as const) expect(point(view, lon, lat, frame)).not.toBeNull()
})

it('tells how far a length on it is, in a round number', () => {
  const last = views([[4.66, 43.81]], [], 25).looks.at(-1)!
  const { km, long } = scaleBar(last)
  expect([20, 50]).toContain(km)
  expect(long).toBeLessThanOrEqual(SMALL.wide / 5)
})

it('draws the likelier cells brighter, and none that is out of sight', () => {
  const near = around([[4.66, 43.81]])
  const paths = heat(near, [[43.8, 4.6, 0.5], [44.8, 4.6, 0.02], [43.9, 4.7, 0.001], [-35, -70, 0.4]])
  expect(paths.map((path) => path.split('M').length - 1)).toEqual([0, 1, 0, 0, 1])
  expect(heat(near, [])).toEqual(['', '', '', '', ''])
})
