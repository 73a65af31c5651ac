"""The playground: drawn points, random sets, machines fitted to them, and solvers step by step."""
