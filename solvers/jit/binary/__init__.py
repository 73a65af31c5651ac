"""Compiled loops for binary machines: training with an exact bias in one call, and pair functions of ovo and dag."""
