"""The whole job from end to end, for the doors: album, scores, audit, plan, export."""
