"""Sequential methods: small working sets, chosen anew in every step."""
