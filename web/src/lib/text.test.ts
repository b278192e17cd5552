import { describe, expect, it } from 'vitest'
import {
  asSentence, byReason, folderFor, grouped, nextTarget, ordinal, percent, photoLabel, progressWords, roughly, stateName, stateWords, strongest,
  photoEffect, whole,
} from './text'

describe('a photo', () => {
  it('is measured against the strongest', () => {
    expect(strongest([-4, 2, null])).toBe(4)
    expect(photoEffect(-4, 4)).toEqual({ at: -1, words: 'gives away much' })
    expect(photoEffect(1, 4)).toEqual({ at: 0.5, words: 'hides something' })
    expect(photoEffect(-0.3, 4)?.words).toBe('gives away a little')
    expect(photoEffect(0.001, 4)?.words).toBe('tells next to nothing')
    expect(photoEffect(null, 4)).toBeNull()
    expect(photoEffect(3, 0)?.at).toBe(0)
  })
  it('is told to whoever does not see it', () => {
    expect(photoLabel('a.jpg', 'kept', photoEffect(-4, 4), 2)).toBe(
      'a.jpg, pinned, gives away much, alone it puts the place 2nd',
    )
    expect(photoLabel('a.jpg', 'kept', null, null, true, true)).toBe('a.jpg, pinned, edited')
    expect(stateWords('edited', true, true)).toBe('Edited')
    expect(stateWords('kept', false, true)).toBe('Pinned')
  })
})

describe('numbers', () => {
  it('are said as people say them', () => {
    expect([1, 2, 3, 4, 11, 12, 13, 21, 112, 1003].map(ordinal)).toEqual([
      '1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '112th', '1,003rd',
    ])
    expect([0.0004, 0.034, 0.5, 0.999, 1].map(percent)).toEqual([
      'under 0.1 %', '3.4 %', '50 %', 'over 99 %', '100 %',
    ])
    expect([0.4, 45, 600, 7200].map(roughly)).toEqual(['a moment', '45 s', '10 min', '2.0 h'])
  })
  it('of progress are those that are known', () => {
    expect(progressWords({ count: 3, total: 12, per_second: 2.5, left_s: 3.6 })).toBe(
      '3 of 12 · 2.5 a second · 4 s left',
    )
    expect(progressWords({})).toBe('')
    expect(progressWords({ count: 2, total: 9, per_second: 2511, left_s: 0.1 })).toBe('2 of 9')
  })
})

describe('sentences', () => {
  it('of the server stand by themselves', () => {
    expect(asSentence('there is no photo to look at')).toBe('There is no photo to look at.')
    expect(asSentence('Which? ')).toBe('Which?')
    expect(asSentence('')).toBe('')
  })
  it('call no photo read once there may be a plan', () => {
    expect(stateName('seen', false)).toBe('Read')
    expect(stateName('seen', true)).toBe('No plan')
    expect(stateName('kept', true)).toBe('Pinned')
  })
})

it('a copy lies in a folder that tells nothing of how it came', () => {
  expect(folderFor('trip/Arles')).toBe('trip-Arles-to-share')
  expect(folderFor('')).toBe('photos-to-share')
})

it('a second copy gets a name of its own', () => {
  const named = ['', '/home/a-to-share', '/home/a-to-share-2', '/home/a-to-share.zip', '/home/b']
  expect(named.map((last) => nextTarget('/home/a-to-share', last))).toEqual([
    '/home/a-to-share', '/home/a-to-share-2', '/home/a-to-share-3', '/home/a-to-share', '/home/a-to-share',
  ])
})

describe('files that are not read', () => {
  const file = (name: string, reason: string, lost: boolean) => ({ name, reason, lost, kind: 'any' })
  it('are told by why, those that somebody misses first', () => {
    const told = byReason([
      file('a.mp4', 'it is a video', false),
      file('b.mp4', 'it is a video', false),
      file('c.jpg', 'it is a video', true),
    ])
    expect(told.map((one) => one.words)).toEqual(['It is a video', 'It is a video · 2 files'])
    expect(told[1]?.names).toEqual(['a.mp4', 'b.mp4'])
    expect(byReason([])).toEqual([])
  })
})

describe('a number that was typed', () => {
  it('is whole and within its bounds, or none', () => {
    expect(whole(' 7 ', 1, 10)).toBe(7)
    for (const text of ['0', '11', '-1', '2.5', '1e1', '', 'many']) expect(whole(text, 1, 10)).toBeNull()
  })
})

describe('a large number', () => {
  it('has its thousands apart', () => {
    expect([999, 1000, 1234567].map(grouped)).toEqual(['999', '1,000', '1,234,567'])
    expect([3, 1012].map(ordinal)).toEqual(['3rd', '1,012th'])
  })
})
