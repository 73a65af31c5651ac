"""Frank-Wolfe: the problem on a chunk of examples (chunk.py), linear oracles, steps, corrections, the method."""
