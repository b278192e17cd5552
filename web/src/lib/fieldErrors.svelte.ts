// A wish that was not understood, told at the field that it was typed in; elsewhere only where that
// field is not on the screen.
import { Problem } from './api'
import type { Wishes } from './types'
import { changed, type Field } from './wishes'

/** What was asked for, where, what is wrong with it, and what may have been meant. */
export interface Refused {
  field: Field
  wishes: Wishes
  sentence: string
  choices: string[]
  /** What was typed, where it is no wish at all. */
  text?: string
}

class FieldErrors {
  last = $state.raw<Refused | null>(null)
  private fields = new Map<Field, number>()

  /** What is wrong with this field, if anything is. */
  at(field: Field): Refused | null {
    return this.last?.field === field ? this.last : null
  }

  /** A field is on the screen that can say what is wrong with it; call the answer when it goes. */
  tells(field: Field): () => void {
    const more = (by: number) => void this.fields.set(field, (this.fields.get(field) ?? 0) + by)
    more(1)
    return () => more(-1)
  }

  /** What was typed here cannot be meant: nobody need be asked. */
  refuse(field: Field, wishes: Wishes, text: string, sentence: string): void {
    this.last = { field, wishes, sentence, choices: [], text }
  }

  /** Whether a problem was told at a field: the one by which `requested` differs from what was granted. */
  takes(problem: unknown, granted: Wishes | null, requested: Wishes | null): boolean {
    this.last = null
    if (!(problem instanceof Problem) || (problem.status !== 400 && problem.status !== 422)) return false
    if (!granted || !requested) return false
    const field = changed(granted, requested).find((name) => this.fields.get(name))
    if (field) this.last = { field, wishes: requested, sentence: problem.message, choices: problem.choices }
    return field !== undefined
  }

  clear(): void {
    this.last = null
  }
}

export const fieldErrors = new FieldErrors()
