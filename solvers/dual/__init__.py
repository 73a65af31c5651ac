"""The dual problem, once for all methods: feasible sets, gradients, certificates, the exact bias."""
