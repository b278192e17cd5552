"""Values → sentences and numbers for people, the same for terminal, page and report.

numbers     ranks, probabilities, fractions and signed shares as people read them
"""
