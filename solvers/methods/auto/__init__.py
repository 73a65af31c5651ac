"""The default method: it decides from step to step which phase is the cheapest way to the optimum."""
