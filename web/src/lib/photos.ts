// The photos of the album, which arrive again and again.
import type { Photo, PhotoState } from './types'

/** Whether two lists are of the same photos, whatever is known of them. */
export function samePhotos(some: Photo[], others: Photo[]): boolean {
  return some.length === others.length && some.every((photo, n) => photo.id === others[n]?.id)
}

const picture = (link: string) => link.split('?')[0]
/** Whether two links lead to the same picture. */
export const samePicture = (some: string, other: string): boolean => picture(some) === picture(other)

/** The same photos with the links that are shown already: another link would load the picture anew. */
export function withKnownLinks(fresh: Photo[], known: Photo[]): Photo[] {
  return fresh.map((photo, n) => {
    const before = known[n]?.thumb
    return before && picture(before) === picture(photo.thumb) ? { ...photo, thumb: before } : photo
  })
}

export type Order = 'album' | 'telling' | 'place'

/** The photos to show: those in one state or all, in the album's order, the most telling first, or by place. */
export function arrange(
  photos: Photo[], states: PhotoState[], shares: (number | null)[], only: PhotoState | null, order: Order,
): Photo[] {
  const some = only ? photos.filter((photo) => states[photo.n] === only) : photos
  if (order === 'album') return some
  const key = (photo: Photo) => (order === 'telling' ? (shares[photo.n] ?? 0) : (photo.place ?? '\uffff'))
  return [...some].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.n - b.n))
}

/** The photo that is shown of those in this order: this one, or else the nearest after or before it; −1 for none. */
export function nearestShown(order: number[], shown: number[], n: number): number {
  if (shown.includes(n)) return n
  const at = order.indexOf(n)
  const others = at < 0 ? [] : [...order.slice(at + 1), ...order.slice(0, at).reverse()]
  return others.find((other) => shown.includes(other)) ?? shown[0] ?? -1
}
