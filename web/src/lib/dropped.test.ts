import { expect, it } from 'vitest'
import { droppedFiles } from './dropped'

const file = (name: string) => ({
  isFile: true, isDirectory: false, name,
  file: (done: (file: File) => void) => done(new File(['x'], name)),
})
const folder = (name: string, parts: object[][]) => ({
  isFile: false, isDirectory: true, name,
  createReader: () => {
    const left = [...parts, []]
    return { readEntries: (done: (entries: object[]) => void) => done(left.shift() ?? []) }
  },
})
const transfer = (...entries: object[]) =>
  ({ items: entries.map((entry) => ({ webkitGetAsEntry: () => entry })), files: [] }) as unknown as DataTransfer

it('takes all files of a dropped folder, however deep and many', async () => {
  const trip = folder('trip', [[file('a.jpg'), folder('day 1', [[file('b.jpg')]])], [file('c.jpg')]])
  const { files: found, lost } = await droppedFiles(transfer(trip, file('d.jpg')))
  expect(found.map((one) => one.path)).toEqual(['trip/a.jpg', 'trip/day 1/b.jpg', 'trip/c.jpg', 'd.jpg'])
  expect(lost).toBe(0)
})

it('takes files as they are, and nothing where nothing was dropped', async () => {
  const plain = { items: [], files: [new File(['x'], 'a.jpg')] } as unknown as DataTransfer
  expect((await droppedFiles(plain)).files.map((one) => one.path)).toEqual(['a.jpg'])
  expect(await droppedFiles(null)).toEqual({ files: [], lost: 0 })
})

it('counts the files and folders that cannot be read', async () => {
  const shut = { ...file('b.jpg'), file: (_: unknown, failed: () => void) => failed() }
  const locked = {
    isFile: false, isDirectory: true, name: 'locked',
    createReader: () => ({ readEntries: (_: unknown, failed: () => void) => failed() }),
  }
  const { files, lost } = await droppedFiles(transfer(folder('trip', [[file('a.jpg'), shut, locked]])))
  expect(files.map((one) => one.path)).toEqual(['trip/a.jpg'])
  expect(lost).toBe(2)
})
