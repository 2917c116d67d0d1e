"""The checks before every route: keys, cookies, limits, hosts and origins."""
