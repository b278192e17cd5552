// Wishes are whole, so only the newest counts: while one is being answered the next ones wait in a
// queue of one, and whoever clicks fast waits for two answers at most. Where the newest is refused,
// what it passed over is asked for after all.

export class Latest<In, Out> {
  private waiting: { value: In } | null = null
  private passedOver: In[] = []
  private busy = false

  constructor(
    private readonly work: (value: In) => Promise<Out>,
    private readonly heard: (answer: Out, last: boolean) => void,
    /** Whether to ask for `before`, which waited until `value` came. */
    private readonly failed: (problem: unknown, value: In, before: In | undefined) => boolean,
  ) {}

  get idle(): boolean {
    return !this.busy
  }

  push(value: In): void {
    if (this.waiting) this.passedOver.push(this.waiting.value)
    this.waiting = { value }
    if (!this.busy) void this.run()
  }

  private async run(): Promise<void> {
    this.busy = true
    while (this.waiting) {
      const { value } = this.waiting
      const earlier = this.passedOver
      this.waiting = null
      this.passedOver = []
      try {
        const answer = await this.work(value)
        this.heard(answer, this.waiting === null)
      } catch (problem) {
        this.failedWork(problem, value, earlier)
      }
    }
    this.busy = false
  }

  private failedWork(problem: unknown, value: In, earlier: In[]): void {
    const before = this.waiting ? undefined : earlier.at(-1)
    const back = this.failed(problem, value, before)
    if (this.waiting) this.passedOver = [...earlier, ...this.passedOver]
    else if (back && before !== undefined) {
      this.waiting = { value: before }
      this.passedOver = earlier.slice(0, -1)
    }
  }
}
