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
    () => false,
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
    (problem) => Boolean(said.push(problem)),
  )
  queue.push(-1)
  queue.push(4)
  await new Promise((soon) => setTimeout(soon))
  expect(said).toHaveLength(1)
  expect(heard).toEqual([4])
})

/** A queue that refuses negative numbers, and what was asked for and heard of it. */
function refusing(goesBack: boolean) {
  const [worked, heard, said]: [number[], number[], [number, number | undefined][]] = [[], [], []]
  const queue = new Latest<number, number>(
    (value) => {
      worked.push(value)
      return value < 0 ? Promise.reject(new Error('no')) : Promise.resolve(value)
    },
    (answer) => heard.push(answer),
    (_, value, before) => {
      said.push([value, before])
      return goesBack
    },
  )
  return { queue, worked, heard, said }
}

it('asks for what a refused one passed over', async () => {
  const { queue, worked, heard, said } = refusing(true)
  for (const value of [1, 2, 3, -4]) queue.push(value)
  await new Promise((soon) => setTimeout(soon))
  expect(worked).toEqual([1, -4, 3])
  expect(heard).toEqual([1, 3])
  expect(said).toEqual([[-4, 3]])
})

it('goes back once for each that is refused, and never where it is told not to', async () => {
  const { queue, worked, heard } = refusing(true)
  for (const value of [1, 2, -3, -4]) queue.push(value)
  await new Promise((soon) => setTimeout(soon))
  expect(worked).toEqual([1, -4, -3, 2])
  expect(heard).toEqual([1, 2])
  const other = refusing(false)
  for (const value of [1, 2, -3]) other.queue.push(value)
  await new Promise((soon) => setTimeout(soon))
  expect(other.worked).toEqual([1, -3])
})
