"""The products: linux, book, chat, composer, reasoning. A desk uses the library and never another desk."""
