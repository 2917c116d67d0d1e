"""Pages of an archive, as libzim writes them."""

from libzim.writer import Hint, Item, StringProvider


class Page(Item):
    """A page of an archive."""

    def __init__(self, path, title, content, *, mime="text/html", front=True):
        super().__init__()
        self.facts = (path, title, mime)
        self.content = content
        self.front = front

    def get_path(self):
        return self.facts[0]

    def get_title(self):
        return self.facts[1]

    def get_mimetype(self):
        return self.facts[2]

    def get_contentprovider(self):
        return StringProvider(self.content)

    def get_hints(self):
        return {Hint.FRONT_ARTICLE: self.front, Hint.COMPRESS: True}
