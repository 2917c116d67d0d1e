"""The web server: books, collections, chat and reasoning templates over HTTP. `app.create_app` builds it, `running.run` runs it."""
