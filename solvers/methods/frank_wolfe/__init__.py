"""Frank-Wolfe in four separate pieces: the problem on a chunk of examples, oracles, steps, corrections."""
