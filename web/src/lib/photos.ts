// The photos of the album, which arrive again and again.
import type { Photo } from './types'

/** Whether two lists are of the same photos, whatever is known of them. */
export function samePhotos(some: Photo[], others: Photo[]): boolean {
  return some.length === others.length && some.every((photo, n) => photo.id === others[n]?.id)
}

const picture = (link: string) => link.split('?')[0]

/** The same photos with the links that are shown already: another link would load the picture anew. */
export function withKnownLinks(fresh: Photo[], known: Photo[]): Photo[] {
  return fresh.map((photo, n) => {
    const before = known[n]?.thumb
    return before && picture(before) === picture(photo.thumb) ? { ...photo, thumb: before } : photo
  })
}
