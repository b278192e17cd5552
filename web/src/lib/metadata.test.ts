import { expect, it } from 'vitest'
import { metadataRows } from './metadata'
import type { Edit, Photo } from './types'

const photo = { id: 'Arles/IMG_1.jpg', width: 40, height: 30 } as Photo
const leaks: [string, string][] = [['file name', 'Arles in IMG_1'], ['position', '43.68, 4.63'], ['owner', 'A'], ['owner', 'B']]

it('tells all metadata of a photo, and that only its size is left', () => {
  const rows = metadataRows({ photo, leaks }, null)
  expect(rows.map((row) => [row.kind, row.before.join('; '), row.after])).toEqual([
    ['file name', 'Arles/IMG_1.jpg', 'a number, or kept as you ask'],
    ['position', '43.68, 4.63', 'nothing'],
    ['owner', 'A; B', 'nothing'],
    ['size', '40 × 30 pixels', '40 × 30 pixels'],
  ])
})

it('does not say that a cropped photo keeps its size', () => {
  const cropped = { crop: [0, 0, 500, 500] } as Edit
  expect(metadataRows({ photo, leaks: [] }, cropped).at(-1)?.after).toBe('that of what is left')
})
