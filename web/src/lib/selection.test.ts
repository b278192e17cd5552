import { describe, expect, it } from 'vitest'
import { everything, extended, NOTHING, toggled } from './selection'

const SHOWN = [3, 1, 4, 0, 2] // in the order of the grid
const chosen = ({ photos }: { photos: ReadonlySet<number> }) => SHOWN.filter((n) => photos.has(n))

describe('a selection', () => {
  it('takes one photo more, or one less', () => {
    const one = toggled(NOTHING, 4)
    expect(chosen(one)).toEqual([4])
    expect(chosen(toggled(one, 4))).toEqual([])
    expect(chosen(NOTHING)).toEqual([])
  })
  it('is extended along the order that is shown, and made smaller again', () => {
    const more = extended(toggled(NOTHING, 1), SHOWN, 0, 3)
    expect(chosen(more)).toEqual([1, 4, 0])
    expect(chosen(extended(more, SHOWN, 4, 0))).toEqual([1, 4])
    expect(chosen(extended(more, SHOWN, 3, 0))).toEqual([3, 1])
  })
  it('keeps what was selected before the range', () => {
    const two = toggled(toggled(NOTHING, 3), 0)
    expect(chosen(extended(two, SHOWN, 2, 0))).toEqual([3, 0, 2])
  })
  it('begins at the photo with the focus', () => {
    expect(chosen(extended(NOTHING, SHOWN, 4, 3))).toEqual([3, 1, 4])
    // where the range began is not shown any more
    expect(chosen(extended(toggled(NOTHING, 9), SHOWN, 4, 1))).toEqual([1, 4])
  })
  it('can be all that is shown', () => expect(chosen(everything([1, 0]))).toEqual([1, 0]))
})
