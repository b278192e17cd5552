import { expect, it } from 'vitest'
import { Latest } from './latest'

it('answers the first at once, skips what is old, and says which is the last', async () => {
  const worked: number[] = []
  const heard: [number, boolean][] = []
  const open: (() => void)[] = []
  const queue = new Latest<number, number>(
    (value) => {
      worked.push(value)
      return new Promise((done) => open.push(() => done(value * 10)))
    },
    (answer, last) => heard.push([answer, last]),
    () => undefined,
  )
  queue.push(1)
  queue.push(2)
  queue.push(3)
  expect(worked).toEqual([1])
  open[0]!()
  await new Promise((soon) => setTimeout(soon))
  expect(heard).toEqual([[10, false]])
  expect(worked).toEqual([1, 3])
  open[1]!()
  await new Promise((soon) => setTimeout(soon))
  expect(heard).toEqual([[10, false], [30, true]])
  expect(queue.idle).toBe(true)
})

it('goes on after something went wrong', async () => {
  const said: unknown[] = []
  const heard: number[] = []
  const queue = new Latest<number, number>(
    (value) => (value < 0 ? Promise.reject(new Error('no')) : Promise.resolve(value)),
    (answer) => heard.push(answer),
    (problem) => said.push(problem),
  )
  queue.push(-1)
  queue.push(4)
  await new Promise((soon) => setTimeout(soon))
  expect(said).toHaveLength(1)
  expect(heard).toEqual([4])
})
