// One photo's metadata, before and after.
import type { Edit, PhotoDetails } from './types'

export interface MetadataRow {
  kind: string
  before: string[]
  after: string
}

/** What a file tells, by kind; an exported copy holds its size and nothing else. */
export function metadataRows(details: Pick<PhotoDetails, 'photo' | 'leaks'>, edit: Edit | null): MetadataRow[] {
  const { photo, leaks } = details
  const kinds = new Map<string, string[]>()
  // that its name may mean a place is told by the name itself
  for (const [kind, text] of leaks) if (kind !== 'file name') kinds.set(kind, [...(kinds.get(kind) ?? []), text])
  const size = `${photo.width} × ${photo.height} pixels`
  return [
    { kind: 'file name', before: [photo.id], after: 'a number, or kept as you ask' },
    ...[...kinds].map(([kind, before]) => ({ kind, before, after: 'nothing' })),
    { kind: 'size', before: [size], after: edit?.crop ? 'that of what is left' : size },
  ]
}
