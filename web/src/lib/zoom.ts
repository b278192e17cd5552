// How large a picture is shown: all of it, as large as it is, or twice as large.

/** Scales that a picture can be shown at, the smallest first: it fits, then those that are larger. */
export const scales = (fit: number): number[] => [fit, ...[1, 2].filter((scale) => scale > fit * 1.05)]

/** The scale that makes all of a picture fit into a box, never more than as large as it is twice. */
export function fitting(width: number, height: number, wide: number, high: number): number {
  if (!width || !height || !wide || !high) return 1
  return Math.min(wide / width, high / height, 2)
}

/** How far to scroll so that this part of the picture, from 0 to 1, is in the middle of the box. */
export const middle = (part: number, size: number, box: number): number => Math.max(0, part * size - box / 2)

const LARGEST = 1280 // pixels: no picture that the server sends is wider or higher

/** How large the server's large picture of a photo is, before it is there. */
export function sent(width: number, height: number): [number, number] {
  const shrink = Math.min(1, LARGEST / Math.max(1, width, height))
  return [Math.round(width * shrink), Math.round(height * shrink)]
}
