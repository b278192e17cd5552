// What somebody typed to open an album: kept until one is open, so that a slip costs one letter and
// not the whole path.
class OpenForm {
  path = $state('')
  browsing = $state(false)

  forget(): void {
    this.path = ''
    this.browsing = false
  }
}

export const openForm = new OpenForm()
