import { describe, expect, it } from 'vitest'
import { fitting, middle, scales, sent } from './zoom'

describe('a picture', () => {
  it('fits into its box, and is never blown up much', () => {
    expect(fitting(1280, 960, 640, 960)).toBe(0.5)
    expect(fitting(1280, 960, 2560, 480)).toBe(0.5)
    expect(fitting(100, 100, 900, 900)).toBe(2)
    expect(fitting(0, 0, 900, 900)).toBe(1)
  })
  it('can be shown larger than it fits', () => {
    expect(scales(0.5)).toEqual([0.5, 1, 2])
    expect(scales(0.98)).toEqual([0.98, 2])
    expect(scales(2)).toEqual([2])
  })
  it('has its size before it is loaded, so that it can be enlarged at once', () => {
    expect(sent(4000, 3000)).toEqual([1280, 960])
    expect(sent(600, 900)).toEqual([600, 900])
  })
  it('keeps in the middle what was pointed at', () => {
    expect(middle(0.5, 1000, 400)).toBe(300)
    expect(middle(0.1, 1000, 400)).toBe(0)
  })
})
