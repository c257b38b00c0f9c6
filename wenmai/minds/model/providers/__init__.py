"""One module a provider: the roles know none of them."""
