//! Text to a hash-consed expression graph: exact rationals, derivatives, printing.
