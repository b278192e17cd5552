import { geoArea } from 'd3-geo'
import { describe, expect, it } from 'vitest'
import { believed, labels, radius, ring, short, spots } from './belief'
import { tokenIn } from './session'
import { HIGH, WIDE, area, around, circles, outline, point, world } from './world'

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
    expect(outline(around([[4.6, 43.8]])).borders).toMatch(/^M/)
  })
  it('knows where a place lies, and what is out of sight', () => {
    const at = point(world(), 4.6, 43.8)!
    expect(at[0]).toBeGreaterThan(WIDE / 2)
    expect(at[1]).toBeLessThan(HIGH / 2)
    expect(point(around([[4.6, 43.8]]), -170, -40)).toBeNull()
  })
  it('is near enough for all that matters, and no nearer', () => {
    const europe: [number, number][] = [[4.6, 43.8], [20.5, 44.8], [24, 49.8], [16, 45.8]]
    for (const [lon, lat] of europe) expect(point(around(europe), lon, lat)).not.toBeNull()
    expect(around(europe).scale()).toBeGreaterThan(world().scale() * 3)
    const everywhere: [number, number][] = [[4.6, 43.8], [-120, 40], [140, -30], [-70, -30]]
    for (const [lon, lat] of everywhere) expect(point(around(everywhere), lon, lat)).not.toBeNull()
    expect(around([[4.6, 43.8]]).scale()).toBe(around([[4.6, 43.8], [4.7, 43.9]]).scale())
  })
  it('says one first place, not two', () => {
    const guess = (name: string) => ({ cell: 1, name, lat: 0, lon: 0, p: 0.54 })
    const tarascon = 'Tarascon, France'
    const cells = { radius_km: null, rank_limit: null }
    const places = { radius_km: 25, rank_limit: 100 }
    expect(believed(tarascon, 1, guess('Nîmes, France'), cells)).toBe('First guess: Nîmes, in the zone of Tarascon (54 %).')
    expect(believed(tarascon, 1, guess('Nîmes, France'), places)).toBe('First guess: Nîmes, within 25 km of Tarascon (54 %).')
    expect(believed(tarascon, 1, guess(tarascon), places)).toBe('First guess: Tarascon, France (54 %).')
    expect(believed(tarascon, 8, guess('Belgrade, Serbia'), places)).toBe('Tarascon comes 8th. First guess: Belgrade, Serbia (54 %).')
    expect(believed(tarascon, 101, guess('Linz, Austria'), places)).toBe('None of its first 100 guesses is near Tarascon. First guess: Linz, Austria (54 %).')
    expect(believed(tarascon, null, guess('Linz, Austria'), cells)).toBe('First guess: Linz, Austria (54 %).')
    expect(believed(tarascon, 1, undefined, cells)).toBe('Tarascon comes first.')
  })
  it('draws circles of their size, and none smaller than can be seen', () => {
    const wide = circles(around([[4.6, 43.8]]), [[43.8, 4.6]], 100)
    expect(wide).toMatch(/^M/)
    expect(circles(world(), [[43.8, 4.6]], 5)).toMatch(/^M/)
  })
  it('writes names where nothing is in their way', () => {
    const signs = [{ name: 'Belgrade', x: 200, y: 100 }, { name: 'Zagreb', x: 190, y: 100 }, { name: 'Lviv', x: 396, y: 20 }]
    const named = labels(signs, WIDE, HIGH)
    expect(named.map((one) => [one.name, one.anchor])).toEqual([['Belgrade', 'start'], ['Zagreb', 'end'], ['Lviv', 'end']])
    expect(labels(Array(9).fill(signs[0]), WIDE, HIGH).length).toBeLessThan(5)
  })
  it('has short names', () => {
    expect(short('Arles, France')).toBe('Arles')
    expect(short('a place 96 km from Lycksele, Sweden')).toBe('96 km from Lycksele')
  })
})

describe('the way in', () => {
  it('is behind the #', () => {
    expect(tokenIn('#token=ab_c-1')).toBe('ab_c-1')
    expect(tokenIn('#elsewhere')).toBeNull()
    expect(tokenIn('')).toBeNull()
  })
})
