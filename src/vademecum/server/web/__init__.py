"""The web server: books, collections, chat and ways of reasoning over HTTP. `app.create_app` makes it, `running.run` runs it."""
