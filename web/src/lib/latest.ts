// Wishes are whole, so only the newest counts: while one is being answered the next ones wait in a
// queue of one, and whoever clicks fast waits for two answers at most.

export class Latest<In, Out> {
  private waiting: { value: In } | null = null
  private busy = false

  constructor(
    private readonly work: (value: In) => Promise<Out>,
    private readonly heard: (answer: Out, last: boolean) => void,
    private readonly failed: (problem: unknown, value: In) => void,
  ) {}

  get idle(): boolean {
    return !this.busy
  }

  push(value: In): void {
    this.waiting = { value }
    if (!this.busy) void this.run()
  }

  private async run(): Promise<void> {
    this.busy = true
    while (this.waiting) {
      const { value } = this.waiting
      this.waiting = null
      try {
        const answer = await this.work(value)
        this.heard(answer, this.waiting === null)
      } catch (problem) {
        this.failed(problem, value)
      }
    }
    this.busy = false
  }
}
