"""Mathematics: arrays in, arrays out. Nothing here knows votes."""
