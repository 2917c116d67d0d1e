"""The ASGI app, the Unix-socket service, MCP and the built web page, over the desks."""
