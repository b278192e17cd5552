// What it costs to hide each place alone, in photos, as it is worked out.
import * as api from './api'
import type { Wishes } from './types'
import { pricesKey } from './wishes'
import { workspace } from './workspace.svelte'

const QUIET = 2000 // milliseconds without a click before anything is worked out

class PlacePrices {
  private prices = $state.raw<ReadonlyMap<string, number | null>>(new Map())
  private about = ''
  private complete = ''

  /** So many photos; null where it cannot be hidden, undefined where that is not known. */
  of(label: string): number | null | undefined {
    return this.prices.get(label)
  }

  /** Work them out for these wishes, unless they are known; the answer ends it. */
  ask(wishes: Wishes): (() => void) | undefined {
    const key = pricesKey(wishes, workspace.reading === 'read')
    if (key !== this.about) this.prices = new Map()
    this.about = key
    if (key === this.complete) return undefined
    const control = new AbortController()
    const timer = setTimeout(() => void this.follow(key, control.signal), QUIET)
    return () => {
      clearTimeout(timer)
      control.abort()
    }
  }

  private async follow(key: string, signal: AbortSignal): Promise<void> {
    try {
      for await (const { price, done } of api.prices(signal)) {
        if (signal.aborted) return
        if (price) this.prices = new Map([...this.prices, [price.place, price.withheld]])
        if (done) this.complete = key
      }
    } catch (problem) {
      if (!signal.aborted) workspace.say(problem)
    }
  }
}

export const placePrices = new PlacePrices()
