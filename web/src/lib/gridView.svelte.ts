// Which photos the grid shows, and in which order.
import type { PhotoState } from './types'
import { arrange, type Order } from './photos'
import { workspace } from './workspace.svelte'

class GridView {
  /** Only photos in this state; null for all. */
  only = $state<PhotoState | null>(null)
  order = $state<Order>('album')
  readonly photos = $derived(
    arrange(workspace.photos, workspace.states, workspace.shares, this.only, this.order),
  )

  reset(): void {
    this.only = null
    this.order = 'album'
  }
}

export const gridView = new GridView()
