"""The playground: points that are drawn, random sets, machines fitted to them, and solvers step by step."""
