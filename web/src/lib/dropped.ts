// What was dropped on the page: files, and folders with all that is in them.

export interface Dropped {
  file: File
  /** Its name, below the folder that was dropped. */
  path: string
}

export const asDropped = (files: Iterable<File>): Dropped[] =>
  [...files].map((file) => ({ file, path: file.webkitRelativePath || file.name }))

/** Every file, those of folders too. It must be called in the event itself: a moment later the browser forgets. */
export async function droppedFiles(transfer: DataTransfer | null): Promise<Dropped[]> {
  const entries = [...(transfer?.items ?? [])].map((item) => item.webkitGetAsEntry?.() ?? null)
  if (!entries.some((entry) => entry?.isDirectory)) return asDropped(transfer?.files ?? [])
  const found: Dropped[] = []
  for (const entry of entries) if (entry) await collect(entry, '', found)
  return found
}

async function collect(entry: FileSystemEntry, above: string, found: Dropped[]): Promise<void> {
  const path = `${above}${entry.name}`
  if (entry.isFile) {
    const file = await new Promise<File | null>((done) => (entry as FileSystemFileEntry).file(done, () => done(null)))
    if (file) found.push({ file, path })
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  for (;;) {
    // a reader gives a hundred at a time, and none at the end
    const some = await new Promise<FileSystemEntry[]>((done) => reader.readEntries(done, () => done([])))
    if (!some.length) return
    for (const child of some) await collect(child, `${path}/`, found)
  }
}
