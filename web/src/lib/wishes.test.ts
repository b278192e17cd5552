import { describe, expect, it } from 'vitest'
import type { Place, Wishes } from './types'
import {
  auditKey, changed, decide, decided, frontierKey, guessState, onlyHidden, pricesKey, toggleDrop, toggleHidden, togglePin, togglePosted, widthOf,
  withBudget,
  withTop, withWidth,
} from './wishes'

const none: Wishes = {
  top: 5, budget: null, at: [], hide: ['all'], hide_level: null, radius_km: 25, margin: 'careful',
  each_photo: false, bursts: false, prior: null, stars: false, exact_top: false, keep: [], drop: [],
  posted: [], edits: 'none', rectangles: {}, as_is: [], scorers: ['embedded'],
}
const place = (label: string, hidden: boolean): Place => ({
  label, hidden, lat: 0, lon: 0, photos: [], by_time: [], rank: null, home: null,
})

describe('a click', () => {
  it('pins, and lets go', () => {
    const once = togglePin(none, 'a.jpg')
    expect(once.keep).toEqual(['a.jpg'])
    expect(togglePin(once, 'a.jpg')).toEqual(none)
  })
  it('never leaves a photo pinned and dropped', () => {
    const both = toggleDrop(togglePin(none, 'a.jpg'), 'a.jpg')
    expect(both).toMatchObject({ keep: [], drop: ['a.jpg'] })
    expect(togglePin(both, 'a.jpg')).toMatchObject({ keep: ['a.jpg'], drop: [] })
  })
  it('says that a photo is public already, whatever was said of it before', () => {
    const out = togglePosted(togglePin(toggleDrop(none, 'b'), 'a'), 'a')
    expect(out).toMatchObject({ keep: [], drop: ['b'], posted: ['a'] })
    expect(togglePosted(out, 'b')).toMatchObject({ drop: [], posted: ['a', 'b'] })
    expect(togglePosted(out, 'a').posted).toEqual([])
    expect(guessState(out, 'a', 'withheld')).toBe('posted')
    expect(guessState(togglePosted(out, 'a'), 'a', 'posted')).toBe('shared')
  })
  it('is seen before it is answered', () => {
    expect(guessState(togglePin(none, 'a'), 'a', 'withheld')).toBe('kept')
    expect(guessState(toggleDrop(none, 'a'), 'a', 'shared')).toBe('dropped')
    expect(guessState(none, 'a', 'kept')).toBe('shared')
    expect(guessState(none, 'a', 'withheld')).toBe('withheld')
  })
})

describe('several photos', () => {
  it('are decided at once, whatever was said of each before', () => {
    const before = { ...none, keep: ['a', 'x'], drop: ['b'] }
    expect(decide(before, ['a', 'b', 'c'], 'drop')).toMatchObject({ keep: ['x'], drop: ['a', 'b', 'c'], posted: [] })
    expect(decide(before, ['a', 'b'], 'posted')).toMatchObject({ keep: ['x'], drop: [], posted: ['a', 'b'] })
  })
  it('are let go of where all of them are decided so', () => {
    const pinned = decide(none, ['a', 'b'], 'keep')
    expect(decided(pinned, ['a', 'b'], 'keep')).toBe(true)
    expect(decided(pinned, ['a', 'c'], 'keep')).toBe(false)
    expect(decided(pinned, [], 'keep')).toBe(false)
    expect(decide(pinned, ['a'], 'keep').keep).toEqual(['b'])
    expect(decide(pinned, ['a', 'c'], 'keep').keep).toEqual(['b', 'a', 'c'])
  })
})

describe('places', () => {
  it('are hidden by name, or all', () => {
    const places = [place('Arles', true), place('Nice', true)]
    const one = toggleHidden(none, places, 'Nice')
    expect(one.hide).toEqual(['Arles'])
    expect(toggleHidden(one, [place('Arles', true), place('Nice', false)], 'Nice').hide).toEqual(['all'])
  })
  it('are never all public', () => {
    expect(toggleHidden(none, [place('Arles', true)], 'Arles')).toBe(none)
  })
})

describe('what depends on a wish', () => {
  it('is not asked again along the slider, but for another promise', () => {
    expect(frontierKey(withBudget(none, 4), false)).toBe(frontierKey(withBudget(none, 3), false))
    expect(frontierKey(withTop(none, 9), false)).not.toBe(frontierKey(none, false))
    expect(frontierKey(withBudget(none, 3), false)).not.toBe(frontierKey(none, false))
    expect(frontierKey(togglePin(none, 'a'), false)).not.toBe(frontierKey(none, false))
    expect(frontierKey(none, true)).not.toBe(frontierKey(none, false))
    expect(pricesKey(none, true)).not.toBe(pricesKey(none, false))
    expect(pricesKey({ ...none, hide: ['Lisbon'] }, true)).toBe(pricesKey(none, true))
    expect(auditKey(togglePin(none, 'a'))).toBe(auditKey(none))
    expect(auditKey({ ...none, radius_km: 5 })).not.toBe(auditKey(none))
  })
  it('is a top or a budget', () => {
    expect(withBudget(none, 0)).toMatchObject({ top: 5, budget: 0 })
    expect(withTop(withBudget(none, 2), 3)).toMatchObject({ top: 3, budget: null })
  })
})

describe('how widely', () => {
  const ALL = ['5', '25', '100', 'city', 'region', 'country']
  it('can go from any choice to any other', () => {
    for (const from of ALL)
      for (const to of ALL) {
        const wishes = withWidth(withWidth(none, from), to)
        expect(widthOf(wishes)).toBe(to)
        // the server takes a level or a radius, never both
        if (wishes.hide_level !== null) expect(wishes.radius_km).toBe(none.radius_km)
      }
  })
})

describe('what was changed', () => {
  it('is the field that a refusal belongs to', () => {
    expect(changed(none, { ...none, at: ['Lissabonn'] })).toEqual(['at'])
    expect(changed(none, withTop(none, 9_999))).toEqual(['top'])
    expect(changed(none, withBudget(none, 2))).toEqual(['budget'])
    expect(changed(none, withWidth(none, 'city'))).toEqual(['width'])
    expect(changed(withWidth(none, '5'), withWidth(none, 'city'))).toEqual(['width'])
    expect(changed(none, { ...none })).toEqual([])
  })
})

it('one click leaves one of thirty places hidden, and another hides all again', () => {
  const places = Array.from({ length: 30 }, (_, n) => place(`place ${n}`, true))
  const only = onlyHidden(none, places, ['place 7'])
  expect(only.hide).toEqual(['place 7'])
  expect(onlyHidden(only, places, places.map((one) => one.label)).hide).toEqual(['all'])
})
