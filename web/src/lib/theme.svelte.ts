// Light, dark, or as the system says; remembered by this browser for the next time.

const KEY = 'elsewhere-theme'
type Choice = 'light' | 'dark' | null

function read(): Choice {
  const found = localStorage.getItem(KEY)
  return found === 'light' || found === 'dark' ? found : null
}

class Theme {
  private choice = $state<Choice>(read())
  private system = $state(matchMedia('(prefers-color-scheme: dark)').matches)

  constructor() {
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (change) => {
      this.system = change.matches
    })
    this.show()
  }

  get dark(): boolean {
    return this.choice === null ? this.system : this.choice === 'dark'
  }

  toggle(): void {
    const wanted = this.dark ? 'light' : 'dark'
    // back to what the system says is back to following it
    this.choice = (wanted === 'dark') === this.system ? null : wanted
    if (this.choice) localStorage.setItem(KEY, this.choice)
    else localStorage.removeItem(KEY)
    this.show()
  }

  private show(): void {
    if (this.choice) document.documentElement.dataset.theme = this.choice
    else delete document.documentElement.dataset.theme
  }
}

export const theme = new Theme()
