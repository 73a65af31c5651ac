"""The dual problem, once for all methods: what a feasible set can do, gradients, certificates, bias."""
