import { describe, expect, it } from 'vitest'
import type { Photo } from './types'
import { samePhotos, withKnownLinks } from './photos'

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
