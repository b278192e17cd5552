// Where photos lie in the grid, which of them need to be drawn, and where an arrow leads.

export interface Shape {
  columns: number
  rows: number
  cell: number
  row: number
}

const GAP = 12
const CAPTION = 46
const RATIO = 3 / 4

/** The grid that fits into this width. */
export function shape(count: number, width: number, wanted: number): Shape {
  const columns = Math.max(2, Math.floor((width + GAP) / (wanted + GAP)))
  const cell = Math.max(60, Math.floor((width - GAP * (columns - 1)) / columns))
  return {
    columns,
    rows: Math.ceil(count / columns),
    cell,
    row: Math.round(cell * RATIO) + CAPTION + GAP,
  }
}

/** The rows to draw: those in sight, a few around them, and the one that has the focus. */
export function rowsInSight(
  grid: Shape,
  top: number,
  height: number,
  active: number,
  spare = 2,
): number[] {
  const first = Math.max(0, Math.floor(top / grid.row) - spare)
  const last = Math.min(grid.rows - 1, Math.floor((top + height) / grid.row) + spare)
  const rows: number[] = []
  for (let row = first; row <= last; row++) rows.push(row)
  const focused = Math.floor(active / grid.columns)
  if (focused >= 0 && focused < grid.rows && (focused < first || focused > last)) rows.push(focused)
  return rows
}

/** Where a key leads from a photo; null where it is no key of ours. */
export function move(
  key: string,
  at: number,
  count: number,
  columns: number,
  page: number,
  far = false,
): number | null {
  const last = count - 1
  const within = (to: number) => Math.min(last, Math.max(0, to))
  switch (key) {
    case 'ArrowLeft':
      return within(at - 1)
    case 'ArrowRight':
      return within(at + 1)
    case 'ArrowUp':
      return at - columns < 0 ? at : at - columns
    case 'ArrowDown':
      return at + columns > last ? at : at + columns
    case 'PageUp':
      return within(at - page * columns)
    case 'PageDown':
      return within(at + page * columns)
    case 'Home':
      return far ? 0 : at - (at % columns)
    case 'End':
      return far ? last : within(at - (at % columns) + columns - 1)
    default:
      return null
  }
}

/** How far to scroll so that a row is seen whole; null where it is already. */
export function scrollFor(grid: Shape, row: number, top: number, height: number): number | null {
  const from = row * grid.row
  const to = from + grid.row
  if (from < top) return from
  return to > top + height ? to - height : null
}
