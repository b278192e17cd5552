"""How well text on photos is found, read and understood, and what that costs."""
