// What a click does to the wishes. A photo is pinned, dropped, public already, or left to the plan:
// never two of these at once.
import type { DrawnEdit, Level, PhotoState, Place, Wishes } from './types'

const without = (list: string[], id: string) => list.filter((other) => other !== id)

/** Pin a photo, or let go of it where it is pinned. */
export function togglePin(wishes: Wishes, id: string): Wishes {
  const pinned = wishes.keep.includes(id)
  const keep = pinned ? without(wishes.keep, id) : [...wishes.keep, id]
  return { ...wishes, keep, drop: without(wishes.drop, id) }
}

/** Drop a photo, or take it back where it is dropped. */
export function toggleDrop(wishes: Wishes, id: string): Wishes {
  const dropped = wishes.drop.includes(id)
  const drop = dropped ? without(wishes.drop, id) : [...wishes.drop, id]
  return { ...wishes, drop, keep: without(wishes.keep, id) }
}

/** Say that a photo is public already, or take that back. */
export function togglePosted(wishes: Wishes, id: string): Wishes {
  const out = wishes.posted.includes(id)
  const posted = out ? without(wishes.posted, id) : [...wishes.posted, id]
  return { ...wishes, posted, keep: without(wishes.keep, id), drop: without(wishes.drop, id) }
}

/** What can be decided of several photos at once. */
export type Decision = 'keep' | 'drop' | 'posted'

/** Whether this is decided of all these photos. */
export const decided = (wishes: Wishes, ids: string[], as: Decision): boolean =>
  ids.length > 0 && ids.every((id) => wishes[as].includes(id))

/** Decide the same of several photos; where it is decided of all of them, take it back. */
export function decide(wishes: Wishes, ids: string[], as: Decision): Wishes {
  const chosen = new Set(ids)
  const others = (list: string[]) => list.filter((id) => !chosen.has(id))
  const back = decided(wishes, ids, as)
  const lists = { keep: others(wishes.keep), drop: others(wishes.drop), posted: others(wishes.posted) }
  return { ...wishes, ...lists, [as]: back ? lists[as] : [...lists[as], ...ids] }
}

const omit = <T>(record: Record<string, T>, id: string): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([other]) => other !== id))

/** Never edit a photo, or leave that to the plan again. */
export function asItIs(wishes: Wishes, id: string): Wishes {
  const whole = wishes.as_is.includes(id)
  const as_is = whole ? without(wishes.as_is, id) : [...wishes.as_is, id]
  return { ...wishes, as_is, rectangles: omit(wishes.rectangles, id), drop: without(wishes.drop, id) }
}

/** Edit a photo as it was drawn. */
export function drawn(wishes: Wishes, id: string, edit: DrawnEdit): Wishes {
  const rectangles = { ...wishes.rectangles, [id]: edit }
  return { ...wishes, rectangles, as_is: without(wishes.as_is, id), drop: without(wishes.drop, id) }
}

/** Leave to the plan how a photo is edited. */
export function left(wishes: Wishes, id: string): Wishes {
  return { ...wishes, rectangles: omit(wishes.rectangles, id), as_is: without(wishes.as_is, id), drop: without(wishes.drop, id) }
}

/** Edit photos instead of withholding them, or only withhold. */
export function toggleEdits(wishes: Wishes): Wishes {
  return wishes.edits === 'none' ? { ...wishes, edits: 'both' } : { ...wishes, edits: 'none', rectangles: {} }
}

/** What a photo is shown as before the plan has answered. */
export function guessState(wishes: Wishes, id: string, before: PhotoState): PhotoState {
  if (wishes.posted.includes(id)) return 'posted'
  if (wishes.keep.includes(id)) return 'kept'
  if (wishes.drop.includes(id)) return 'dropped'
  if (before === 'kept' || before === 'posted') return 'shared'
  return before === 'dropped' ? 'withheld' : before
}

/** Hide a place or leave it public; "all" where all are hidden. At least one stays hidden. */
export function toggleHidden(wishes: Wishes, places: Place[], label: string): Wishes {
  const hidden = places.filter((place) => place.hidden !== (place.label === label)).map((place) => place.label)
  if (hidden.length === 0) return wishes
  return { ...wishes, hide: hidden.length === places.length ? ['all'] : hidden }
}

/** Hide these places alone. */
export function onlyHidden(wishes: Wishes, places: Place[], labels: string[]): Wishes {
  return { ...wishes, hide: labels.length === places.length ? ['all'] : labels }
}

const USUAL_KM = 25

/** How widely places are hidden, as one word: a level, or kilometres. */
export const widthOf = (wishes: Wishes): string => wishes.hide_level ?? String(wishes.radius_km)

/** Hide as widely as this word says: by a level or by a radius, never by both. */
export function withWidth(wishes: Wishes, width: string): Wishes {
  const km = Number(width)
  return Number.isNaN(km)
    ? { ...wishes, hide_level: width as Level, radius_km: USUAL_KM }
    : { ...wishes, hide_level: null, radius_km: km }
}

/** Promise a top, instead of a budget. */
export const withTop = (wishes: Wishes, top: number): Wishes => ({ ...wishes, top, budget: null })

/** Withhold at most so many, and promise what that buys; the top waits until it counts again. */
export const withBudget = (wishes: Wishes, budget: number): Wishes => ({ ...wishes, budget })

/** A part of the wishes that has a place on the page. */
export type Field = Exclude<keyof Wishes, 'hide_level' | 'radius_km'> | 'width'

/** Which of them differ: what was refused was asked for there. */
export function changed(before: Wishes, after: Wishes): Field[] {
  const keys = (Object.keys(after) as (keyof Wishes)[]).filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  )
  const fields = keys.map((key): Field => (key === 'hide_level' || key === 'radius_km' ? 'width' : key))
  return [...new Set(fields)]
}

/**
 * All that the frontier depends on, with whether the text on the photos is read. How large a budget is does not matter, for it has them all; that
 * there is one does: single photos are held to a top only where one is asked for.
 */
export function frontierKey(wishes: Wishes, read: boolean): string {
  return JSON.stringify({ ...wishes, budget: wishes.budget !== null, read })
}

/** All that the prices of hiding each place alone depend on. */
export function pricesKey(wishes: Wishes, read: boolean): string {
  return JSON.stringify({ ...wishes, hide: [], edits: '', read })
}

/** All that decides what is believed of the whole album, before any plan. */
export function auditKey(wishes: Wishes): string {
  const { at, hide, hide_level, radius_km, prior, scorers } = wishes
  return JSON.stringify([at, hide, hide_level, radius_km, prior, scorers])
}
