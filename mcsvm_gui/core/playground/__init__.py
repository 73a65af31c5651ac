"""Points under one's hands: drawing them, random sets, machines fitted to them, and solvers step by step."""
