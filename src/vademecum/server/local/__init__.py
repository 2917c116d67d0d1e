"""The background service of `ragman` and `ragadmin`, on a Unix socket."""
