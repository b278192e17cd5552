// The world's outline, and its two projections: the whole, and around some places.
import { geoArea, geoCentroid, geoCircle, geoNaturalEarth1, geoPath, type GeoProjection } from 'd3-geo'
import { feature, mesh } from 'topojson-client'
import type { Topology, GeometryCollection } from 'topojson-specification'
import atlas from 'world-atlas/countries-110m.json'

const topology = atlas as unknown as Topology<{
  countries: GeometryCollection
  land: GeometryCollection
}>
const land = feature(topology, topology.objects.land)
const borders = mesh(topology, topology.objects.countries, (a, b) => a !== b)

export const WIDE = 400
export const HIGH = 196

const CLEAR = 14 // pixels between what is hidden and the edge

/** The whole earth but its poles, where hardly anybody takes photos; turned or shifted where this place would lie at the edge. */
export function world(place?: [number, number]): GeoProjection {
  const whole = geoNaturalEarth1()
    .precision(0) // its edges are short already, and bending them would hold the page up
    .scale(WIDE / 5.4)
    .translate([WIDE / 2, HIGH / 2 + 13])
  const at = place && whole(place)
  if (at && (at[0] < CLEAR || at[0] > WIDE - CLEAR)) whole.rotate([-place[0], 0])
  if (at) {
    const shift = Math.max(0, CLEAR - at[1]) - Math.max(0, at[1] - (HIGH - CLEAR))
    whole.translate([WIDE / 2, HIGH / 2 + 13 + shift])
  }
  return whole.clipExtent([[0, 0], [WIDE, HIGH]])
}

const NEAREST = WIDE * 1.9 // about 3,000 km across

/** The neighbourhood of these places, the first of which is always in view. */
export function around(places: [number, number][]): GeoProjection {
  const [lon, lat] = geoCentroid({ type: 'MultiPoint', coordinates: places })
  const near = geoNaturalEarth1().rotate([-lon, -lat])
  near.fitExtent([[34, 26], [WIDE - 34, HIGH - 26]], { type: 'MultiPoint', coordinates: places })
  if (near.scale() > NEAREST) near.scale(NEAREST).translate([WIDE / 2, HIGH / 2])
  return near.scale() < world().scale() ? world(places[0]) : near.clipExtent([[0, 0], [WIDE, HIGH]])
}

export interface Outline {
  land: string
  borders: string
}

let drawn: { key: string; outline: Outline } | null = null

/** Land and borders; the last ones are kept, for a click seldom moves the map. */
export function outline(projection: GeoProjection): Outline {
  const key = [projection.rotate(), projection.scale(), projection.translate()].join()
  if (drawn?.key === key) return drawn.outline
  const path = geoPath(projection).digits(1)
  drawn = { key, outline: { land: path(land) ?? '', borders: path(borders) ?? '' } }
  return drawn.outline
}

/** Rings as one path; each is turned so that its inside is the small side. */
export function area(projection: GeoProjection, rings: [number, number][][]): string {
  const path = geoPath(projection).digits(1)
  return rings
    .map((ring) => {
      const shape = { type: 'Polygon' as const, coordinates: [ring] }
      if (geoArea(shape) > 2 * Math.PI) shape.coordinates = [[...ring].reverse()]
      return path(shape) ?? ''
    })
    .join('')
}

const KM_A_DEGREE = 111.2
const SMALLEST = 2.5 // pixels

/** Circles of so many km around latitudes and longitudes, as one path; none too small to be seen. */
export function circles(projection: GeoProjection, middles: [number, number][], km: number): string {
  const path = geoPath(projection).digits(1)
  const degrees = Math.max(km / KM_A_DEGREE, (SMALLEST / projection.scale()) * (180 / Math.PI))
  return middles.map(([lat, lon]) => path(geoCircle().center([lon, lat]).radius(degrees).precision(12)()) ?? '').join('')
}

/** Where a point lies, or null where it is not shown. */
export function point(projection: GeoProjection, lon: number, lat: number): [number, number] | null {
  const at = projection([lon, lat])
  if (!at || at[0] < 0 || at[0] > WIDE || at[1] < 0 || at[1] > HIGH) return null
  return at
}
