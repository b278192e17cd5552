import { expect, it, vi } from 'vitest'
import { expectedProof, newNonce, Proof } from './proof'

it('expects what the server answers', async () => {
  // the same number is in tests/app/test_keys.py
  expect(await expectedProof('secret', 'ab'.repeat(32))).toBe('f7bd9bf642808876694a158a6058877e3742c0ccb55224cf99dcb81d7cbc92ef')
})

it('asks with a new number each time', () => {
  expect(newNonce()).toMatch(/^[0-9a-f]{64}$/)
  expect(newNonce()).not.toBe(newNonce())
})

it('shares a proof between requests of one moment, and asks again later', async () => {
  vi.useFakeTimers()
  const ask = vi.fn(() => Promise.resolve())
  const proof = new Proof(ask)
  await Promise.all([proof.require(), proof.require()])
  await proof.require()
  expect(ask).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1_000)
  await proof.require()
  expect(ask).toHaveBeenCalledTimes(2)
  vi.useRealTimers()
})

it('does not rely on an old proof where a fresh one is asked for', async () => {
  const ask = vi.fn(() => Promise.resolve())
  const proof = new Proof(ask)
  await proof.require()
  await proof.require(true)
  expect(ask).toHaveBeenCalledTimes(2)
})

it('remembers nothing of a proof that failed', async () => {
  const ask = vi.fn(() => Promise.reject(new Error('a stranger')))
  const proof = new Proof(ask)
  await expect(proof.require()).rejects.toThrow('a stranger')
  await expect(proof.require()).rejects.toThrow('a stranger')
  expect(ask).toHaveBeenCalledTimes(2)
})
