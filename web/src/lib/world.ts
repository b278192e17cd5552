// The world's outline, and its two projections: the whole, and around some places.
import { geoArea, geoAzimuthalEqualArea, geoCentroid, geoCircle, geoNaturalEarth1, geoPath, type GeoProjection } from 'd3-geo'
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

/** How large a map is, in pixels. */
export interface Frame {
  wide: number
  high: number
}
export const SMALL: Frame = { wide: WIDE, high: HIGH }

type Spot = [number, number] // longitude, latitude

const CLEAR = 14 // pixels between what is hidden and the edge
const TURN = 15 // degrees

/** The whole earth but its poles, where hardly anybody takes photos; turned and shifted until no place lies at the edge. */
export function world(places: Spot[] = [], frame: Frame = SMALL): GeoProjection {
  const { wide, high } = frame
  const scale = Math.min(wide / 5.4, high / 2.6)
  const down = high / 2 + 0.18 * scale
  const whole = geoNaturalEarth1()
    .precision(0) // its edges are short already, and bending them would hold the page up
    .scale(scale)
    .translate([wide / 2, down])
  const spots = () => places.flatMap((place) => [whole(place)!])
  const clear = () => Math.min(wide / 2, ...spots().map(([x]) => Math.min(x, wide - x)))
  let best = { turn: 0, clear: clear() }
  for (let turn = TURN; best.clear < CLEAR && turn < 360; turn += TURN) {
    whole.rotate([turn, 0])
    if (clear() > best.clear) best = { turn, clear: clear() }
  }
  whole.rotate([best.turn, 0])
  const heights = spots().map(([, y]) => y)
  const shift = Math.max(0, CLEAR - Math.min(CLEAR, ...heights)) - Math.max(0, Math.max(0, ...heights) - (high - CLEAR))
  return whole.translate([wide / 2, down + shift]).clipExtent([[0, 0], [wide, high]])
}

const NEAREST = 1.9 // times the width: about 3,000 km across

/** The neighbourhood of these places, of which the first few are hidden and always in view. */
export function around(places: Spot[], hidden = 1, frame: Frame = SMALL): GeoProjection {
  const { wide, high } = frame
  const [lon, lat] = geoCentroid({ type: 'MultiPoint', coordinates: places })
  const near = geoNaturalEarth1().rotate([-lon, -lat])
  const extent: [Spot, Spot] = [[wide * 0.085, high * 0.133], [wide * 0.915, high * 0.867]]
  near.fitExtent(extent, { type: 'MultiPoint', coordinates: places })
  if (near.scale() > wide * NEAREST) near.scale(wide * NEAREST).translate([wide / 2, high / 2])
  const whole = world(places.slice(0, hidden), frame)
  return near.scale() < whole.scale() ? whole : near.clipExtent([[0, 0], [wide, high]])
}

const EARTH_KM = 6371
const SEEN = 0.17 // of the height: the radius of a circle in the closest view
const STEP = 4 // times nearer from one view to the next, at most about

export interface Views {
  /** Each is nearer than the one before. */
  looks: GeoProjection[]
  /** Which of them shows what is hidden and what is guessed instead. */
  usual: number
}

/** From the whole world to a circle of so many km around the first place. */
export function views(hidden: Spot[], rivals: Spot[], km: number, frame: Frame = SMALL): Views {
  const [first] = hidden
  if (!first) return { looks: [world([], frame)], usual: 0 }
  const whole = world(hidden, frame)
  const near = around([...hidden, ...rivals], hidden.length, frame)
  const close = (frame.high * SEEN * EARTH_KM) / km
  const begin = near.scale()
  const steps = close < begin * 1.3 ? 0 : Math.max(1, Math.round(Math.log(close / begin) / Math.log(STEP)))
  const nearer = Array.from({ length: steps }, (_, step) =>
    geoAzimuthalEqualArea()
      .rotate([-first[0], -first[1]])
      .scale(begin * (close / begin) ** ((step + 1) / steps))
      .translate([frame.wide / 2, frame.high / 2])
      .clipExtent([[0, 0], [frame.wide, frame.high]]),
  )
  const farther = begin > whole.scale() * 1.3 ? [whole] : []
  return { looks: [...farther, near, ...nearer], usual: farther.length }
}

/** A round number of km and how long it is in the middle of a map; at most a fifth of its width. */
export function scaleBar(projection: GeoProjection, frame: Frame = SMALL): { km: number; long: number } {
  const pixels = projection.scale() / EARTH_KM // for one km
  const most = frame.wide / 5 / pixels
  const ten = 10 ** Math.floor(Math.log10(most))
  const km = [5, 2, 1].map((times) => times * ten).find((round) => round <= most) ?? ten
  return { km, long: km * pixels }
}

export interface Outline {
  land: string
  borders: string
}

const drawn = new Map<string, Outline>()
const KEPT = 8 // looks

/** Land and borders; the last ones are kept, for a click seldom moves the map. */
export function outline(projection: GeoProjection): Outline {
  const key = [projection.rotate(), projection.scale(), projection.translate(), projection.clipExtent()].join()
  const known = drawn.get(key)
  if (known) return known
  const path = geoPath(projection).digits(1)
  const fresh = { land: path(land) ?? '', borders: path(borders) ?? '' }
  if (drawn.size >= KEPT) drawn.clear()
  drawn.set(key, fresh)
  return fresh
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
export function point(projection: GeoProjection, lon: number, lat: number, frame: Frame = SMALL): [number, number] | null {
  const at = projection([lon, lat])
  if (!at || at[0] < 0 || at[0] > frame.wide || at[1] < 0 || at[1] > frame.high) return null
  return at
}

const CELL_KM = 17 // half of a leaf of the embedded model, as wide as it usually is
const LEAST = 2.2 // pixels

/** Cells as spots in groups from the faintest to the brightest; each is a path. */
export function heat(projection: GeoProjection, cells: [number, number, number][], frame: Frame = SMALL): string[] {
  const paths = HEATS.map(() => '')
  const most = Math.max(0, ...cells.map(([, , p]) => p))
  const r = Math.max(LEAST, (CELL_KM * projection.scale()) / EARTH_KM).toFixed(1)
  const long = (2 * Number(r)).toFixed(1)
  for (const [lat, lon, p] of cells) {
    const at = point(projection, lon, lat, frame)
    if (!at) continue
    const level = HEATS.filter((least) => p >= least * most).length - 1
    if (level >= 0) paths[level] += `M${(at[0] - Number(r)).toFixed(1)} ${at[1].toFixed(1)}a${r} ${r} 0 1 0 ${long} 0a${r} ${r} 0 1 0 -${long} 0`
  }
  return paths
}

const HEATS = [0.004, 0.02, 0.08, 0.25, 0.6] // of the likeliest
