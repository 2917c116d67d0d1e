"""The linux desk: questions answered from manual pages, info manuals and Kiwix archives."""
