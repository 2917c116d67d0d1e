"""The servers: the Unix-socket service, the web server with its page, and MCP."""
