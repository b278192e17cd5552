"""What is public already: photos that count and can no longer be withheld.

values     the value Posted
files      photos that are out, read and scored · alike (copies that were encoded again)
take_down  which of them are in the way
"""
