// Rectangles on a picture, in thousandths of its width and height, and how handles move them.
import type { DrawnEdit, Edit, Sides } from './types'

export const FULL = 1000
/** A rectangle is never smaller than this. */
export const LEAST = 40

/** Which sides a handle moves: left, top, right, bottom. All four move the whole rectangle. */
export type Handle = readonly [boolean, boolean, boolean, boolean]
export const WHOLE: Handle = [true, true, true, true]
export const CORNERS: readonly (readonly [name: string, Handle])[] = [
  ['top left', [true, true, false, false]],
  ['top right', [false, true, true, false]],
  ['bottom right', [false, false, true, true]],
  ['bottom left', [true, false, false, true]],
]

const clamp = (value: number, least: number, most: number) => Math.round(Math.min(most, Math.max(least, value)))

/** The rectangle after a handle was moved by so much; it stays in the picture. */
export function moved(sides: Sides, handle: Handle, dx: number, dy: number): Sides {
  const [left, top, right, bottom] = sides
  if (handle.every(Boolean)) {
    const x = clamp(dx, -left, FULL - right)
    const y = clamp(dy, -top, FULL - bottom)
    return [left + x, top + y, right + x, bottom + y]
  }
  return [
    handle[0] ? clamp(left + dx, 0, right - LEAST) : left,
    handle[1] ? clamp(top + dy, 0, bottom - LEAST) : top,
    handle[2] ? clamp(right + dx, left + LEAST, FULL) : right,
    handle[3] ? clamp(bottom + dy, top + LEAST, FULL) : bottom,
  ]
}

/** How far an arrow key moves: a hundredth, with shift five of them; null for other keys. */
export function arrow(key: string, shift: boolean): [dx: number, dy: number] | null {
  const step = shift ? 50 : 10
  const by: Record<string, [number, number]> = {
    ArrowLeft: [-step, 0],
    ArrowRight: [step, 0],
    ArrowUp: [0, -step],
    ArrowDown: [0, step],
  }
  return by[key] ?? null
}

type Rectangles = Pick<Edit | DrawnEdit, 'crop' | 'covers'>

const sorted = (covers: readonly (readonly number[])[]) => covers.map((sides) => sides.join(' ')).sort()

/** Whether two edits take out the same. */
export function sameEdit(some: Rectangles, other: Rectangles): boolean {
  return (
    String(some.crop ?? '') === String(other.crop ?? '') &&
    String(sorted(some.covers)) === String(sorted(other.covers))
  )
}

/** A new cover: in the middle, a quarter of the picture wide and high. */
export const NEW_COVER: Sides = [375, 375, 625, 625]
/** A new crop: a tenth off each side. */
export const NEW_CROP: Sides = [100, 100, 900, 900]

/** A rectangle for someone who does not see it. */
export function sidesWords([left, top, right, bottom]: Sides): string {
  const percent = (n: number) => `${Math.round(n / 10)} %`
  return `from ${percent(left)} to ${percent(right)} across, ${percent(top)} to ${percent(bottom)} down`
}
