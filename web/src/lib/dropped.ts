// What was dropped on the page: files, and folders with all that is in them.

export interface Dropped {
  file: File
  /** Its name, below the folder that was dropped. */
  path: string
}

export const asDropped = (files: Iterable<File>): Dropped[] =>
  [...files].map((file) => ({ file, path: file.webkitRelativePath || file.name }))

/** What was dropped, and how much of it the browser could not read. */
export interface DroppedFiles {
  files: Dropped[]
  lost: number
}

/** Every file, those of folders too. It must be called in the event itself: a moment later the browser forgets. */
export async function droppedFiles(transfer: DataTransfer | null): Promise<DroppedFiles> {
  const entries = [...(transfer?.items ?? [])].map((item) => item.webkitGetAsEntry?.() ?? null)
  if (!entries.some((entry) => entry?.isDirectory)) return { files: asDropped(transfer?.files ?? []), lost: 0 }
  const found: DroppedFiles = { files: [], lost: 0 }
  for (const entry of entries) if (entry) await collect(entry, '', found)
  return found
}

async function collect(entry: FileSystemEntry, above: string, found: DroppedFiles): Promise<void> {
  const path = `${above}${entry.name}`
  if (entry.isFile) {
    const file = await new Promise<File | null>((done) => (entry as FileSystemFileEntry).file(done, () => done(null)))
    if (file) found.files.push({ file, path })
    else found.lost++
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  for (;;) {
    // a reader gives a hundred at a time, and none at the end
    const some = await new Promise<FileSystemEntry[] | null>((done) => reader.readEntries(done, () => done(null)))
    if (!some) found.lost++ // a folder, or the rest of it
    if (!some?.length) return
    for (const child of some) await collect(child, `${path}/`, found)
  }
}
