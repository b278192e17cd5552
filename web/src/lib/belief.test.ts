import { geoArea } from 'd3-geo'
import { describe, expect, it } from 'vitest'
import { radius, ring, short, spots } from './belief'
import { tokenIn } from './session'
import { HIGH, WIDE, area, around, outline, point, world } from './world'

describe('the map', () => {
  it('shows what has a position and is more than nothing, the largest below', () => {
    const guess = (cell: number, p: number, lat: number | null = 1) => ({ cell, name: 'x', lat, lon: 2, p })
    expect(spots([guess(1, 0.1), guess(2, 0.6), guess(3, 0.0001), guess(4, 0.2, null)]).map((one) => one.key)).toEqual([2, 1])
  })
  it('draws probability as area', () => {
    expect(radius(0.4, 30) ** 2 / radius(0.1, 30) ** 2).toBeCloseTo(4)
    expect(radius(0, 30)).toBeGreaterThan(0)
  })
  it('draws a zone and not the rest of the earth', () => {
    const box = ring([43, 4, 44, 5])
    expect(geoArea({ type: 'Polygon', coordinates: [box] })).toBeLessThan(0.001)
    expect(area(world(), [box])).toMatch(/^M/)
    const size = (path: string) => path.length
    expect(size(area(world(), [[...box].reverse()]))).toBeLessThan(200) // the sphere's outline is longer
  })
  it('has land on it, whole and near', () => {
    expect(outline(world()).land.length).toBeGreaterThan(1000)
    expect(outline(around(4.6, 43.8)).borders).toMatch(/^M/)
  })
  it('knows where a place lies, and what is behind the horizon', () => {
    const at = point(world(), 4.6, 43.8, null)!
    expect(at[0]).toBeGreaterThan(WIDE / 2)
    expect(at[1]).toBeLessThan(HIGH / 2)
    expect(point(around(4.6, 43.8), -170, -40, [4.6, 43.8])).toBeNull()
  })
  it('has short names', () => expect(short('Arles, France')).toBe('Arles'))
})

describe('the way in', () => {
  it('is behind the #', () => {
    expect(tokenIn('#token=ab_c-1')).toBe('ab_c-1')
    expect(tokenIn('#elsewhere')).toBeNull()
    expect(tokenIn('')).toBeNull()
  })
})
