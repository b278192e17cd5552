import { describe, expect, it } from 'vitest'
import { values } from './ndjson'

function cut(text: string, ...at: number[]): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  const edges = [0, ...at, bytes.length]
  return new ReadableStream({
    start(controller) {
      for (let i = 1; i < edges.length; i++) controller.enqueue(bytes.slice(edges[i - 1], edges[i]))
      controller.close()
    },
  })
}

async function all(stream: ReadableStream<Uint8Array>): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const value of values(stream)) found.push(value)
  return found
}

describe('lines of JSON', () => {
  const text = '{"name":"Wrocław"}\n{"count":2}\n'
  it('are the same wherever the network cuts them', async () => {
    const bytes = new TextEncoder().encode(text).length
    for (let at = 1; at < bytes; at++)
      expect(await all(cut(text, at))).toEqual([{ name: 'Wrocław' }, { count: 2 }])
  })
  it('count where the last has no end, and where lines are empty', async () => {
    expect(await all(cut('\n{"done":true}'))).toEqual([{ done: true }])
  })
  it('are an error where they are no JSON', async () => {
    await expect(all(cut('{"count":\n'))).rejects.toThrow(SyntaxError)
  })
})
