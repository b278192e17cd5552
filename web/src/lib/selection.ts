// Which photos are selected, as clicks and keys change it.

export interface Selection {
  photos: ReadonlySet<number>
  /** Where a range begins. */
  anchor: number | null
  /** What was selected before the range. */
  base: ReadonlySet<number>
}

export const NOTHING: Selection = { photos: new Set(), anchor: null, base: new Set() }

/** Select a photo, or no longer; a range begins there. */
export function toggled(selection: Selection, n: number): Selection {
  const photos = new Set(selection.photos)
  if (!photos.delete(n)) photos.add(n)
  return { photos, anchor: n, base: photos }
}

/** Select all from where the range begins; `from` is where it begins if nothing was selected before. */
export function extended(selection: Selection, shown: number[], to: number, from: number): Selection {
  const anchor = selection.anchor !== null && shown.includes(selection.anchor) ? selection.anchor : from
  const ends = [shown.indexOf(anchor), shown.indexOf(to)]
  const range = shown.slice(Math.min(...ends), Math.max(...ends) + 1)
  return { photos: new Set([...selection.base, ...range]), anchor, base: selection.base }
}

/** Select all that are shown. */
export const everything = (shown: number[]): Selection => ({ photos: new Set(shown), anchor: shown[0] ?? null, base: new Set() })
