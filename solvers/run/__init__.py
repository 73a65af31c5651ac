"""The only loop: it advances a method, samples, confirms and can be saved."""
