"""Pure deciding that several parts share: runtime detection, placement, release steps, differences.
No I/O, no clock, no randomness: what is known comes in as arguments, what is to be done goes out as data."""
