import { describe, expect, it } from 'vitest'
import type { Photo } from './types'
import { arrange, nearestShown, samePhotos, withKnownLinks } from './photos'

const photo = (n: number, thumb: string, share: number | null = null): Photo => ({
  n, id: `${n}.jpg`, width: 4, height: 3, thumb, share, own_rank: null, place: null, posted: false, state: 'seen',
})

describe('photos that come in again', () => {
  it('keep the link whose picture is shown', () => {
    const known = [photo(0, '/thumbs/1/320/0?e=1&s=a')]
    const fresh = [photo(0, '/thumbs/1/320/0?e=2&s=b', -1), photo(1, '/thumbs/1/320/1?e=2&s=c')]
    const kept = withKnownLinks(fresh, known)
    expect(kept[0]).toMatchObject({ thumb: '/thumbs/1/320/0?e=1&s=a', share: -1 })
    expect(kept[1]).toBe(fresh[1])
  })
  it('of another album do not', () => {
    const fresh = [photo(0, '/thumbs/2/320/0?e=2&s=b')]
    expect(withKnownLinks(fresh, [photo(0, '/thumbs/1/320/0?e=1&s=a')])).toEqual(fresh)
  })
  it('are the same by their names', () => {
    expect(samePhotos([photo(0, 'a')], [photo(0, 'b')])).toBe(true)
    expect(samePhotos([photo(0, 'a')], [photo(1, 'a')])).toBe(false)
    expect(samePhotos([photo(0, 'a')], [])).toBe(false)
  })
})

it('arranges photos by state, by what they give away, and by place', () => {
  const made = (n: number, place: string | null) => ({ n, id: `${n}.jpg`, place }) as unknown as Photo
  const photos = [made(0, 'Rome'), made(1, 'Arles'), made(2, null), made(3, 'Arles')]
  const states = ['shared', 'withheld', 'shared', 'withheld'] as const
  const shares = [0.5, -2, null, -3]
  const shown = (only: 'withheld' | null, order: 'album' | 'telling' | 'place') =>
    arrange(photos, [...states], shares, only, order).map((photo) => photo.n)
  expect(shown(null, 'album')).toEqual([0, 1, 2, 3])
  expect(shown('withheld', 'telling')).toEqual([3, 1])
  expect(shown(null, 'place')).toEqual([1, 3, 0, 2])
})

it('finds the photo that gets the focus, also where the one that was looked at is not shown any more', () => {
  expect(nearestShown([4, 2, 7, 1], [2, 7, 1], 7)).toBe(7)
  expect(nearestShown([4, 2, 7, 1], [4, 2, 1], 7)).toBe(1)
  expect(nearestShown([4, 2, 7, 1], [4, 2], 7)).toBe(2)
  expect(nearestShown([], [4, 2], 7)).toBe(4)
  expect(nearestShown([4], [], 4)).toBe(-1)
})
