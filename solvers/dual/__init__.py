"""The dual problem, shared by all methods: feasible sets, gradients, certificates, the exact bias."""
