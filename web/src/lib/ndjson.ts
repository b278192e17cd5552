// Lines of JSON as they arrive, however the network cut them.

/** Every value of a stream; a last line without its end counts as well. */
export async function* values<T>(stream: ReadableStream<Uint8Array>): AsyncGenerator<T> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
      const lines = rest.split('\n')
      rest = done ? '' : (lines.pop() ?? '')
      for (const line of lines) if (line.trim()) yield JSON.parse(line) as T
      if (done) return
    }
  } finally {
    reader.releaseLock()
  }
}
