"""How fast and how large `elsewhere batch` is: from scores, from pixels, as data grow."""
