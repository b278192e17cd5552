import { describe, expect, it } from 'vitest'
import { move, rowsInSight, scrollFor, shape } from './grid'

const grid = shape(1000, 800, 150)

describe('the grid', () => {
  it('fills its width and has room for all', () => {
    expect(grid.columns).toBe(5)
    expect(grid.rows).toBe(200)
    expect(grid.cell * grid.columns + 12 * (grid.columns - 1)).toBeLessThanOrEqual(800)
    expect(shape(3, 100, 150).columns).toBe(2)
  })
  it('draws what is in sight and a little more, whatever there is', () => {
    const rows = rowsInSight(grid, 100 * grid.row, 4 * grid.row, 0)
    expect(rows).toContain(0) // the one that has the focus
    expect(rows.filter((row) => row !== 0)).toEqual([98, 99, 100, 101, 102, 103, 104, 105, 106])
  })
  it('draws no row that is not there', () => {
    const rows = rowsInSight(grid, 199 * grid.row, 900, 999)
    expect(Math.max(...rows)).toBe(199)
    expect(new Set(rows).size).toBe(rows.length)
  })
  it('scrolls only as far as is needed', () => {
    expect(scrollFor(grid, 3, 0, 10 * grid.row)).toBeNull()
    expect(scrollFor(grid, 3, 5 * grid.row, grid.row)).toBe(3 * grid.row)
    expect(scrollFor(grid, 9, 0, 4 * grid.row)).toBe(6 * grid.row)
  })
})

describe('arrows', () => {
  it('stay on the table', () => {
    expect(move('ArrowLeft', 0, 12, 5, 2)).toBe(0)
    expect(move('ArrowRight', 11, 12, 5, 2)).toBe(11)
    expect(move('ArrowUp', 3, 12, 5, 2)).toBe(3)
    expect(move('ArrowDown', 8, 12, 5, 2)).toBe(8) // nothing below the last row's gap
  })
  it('lead to the neighbours', () => {
    expect(move('ArrowDown', 1, 12, 5, 2)).toBe(6)
    expect(move('ArrowUp', 6, 12, 5, 2)).toBe(1)
    expect(move('Home', 8, 12, 5, 2)).toBe(5)
    expect(move('End', 5, 12, 5, 2)).toBe(9)
    expect(move('End', 5, 12, 5, 2, true)).toBe(11)
    expect(move('PageDown', 1, 100, 5, 2)).toBe(11)
  })
  it('leave other keys alone', () => expect(move('a', 1, 12, 5, 2)).toBeNull())
})
