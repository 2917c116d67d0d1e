"""All searchable and displayable data of a segment, in memory-mapped files that need no parsing.

A folder contains, little-endian:

    texts.bin        the text of every document, UTF-8, concatenated
    strings.bin      the short fields of every document, as joined by `layout`
    labels.bin       every distinct heading path and anchor once, each preceded by its 32-bit length in bytes
    documents.bin    one record per document    (`layout.DOCUMENT`)
    passages.bin     one record per passage     (`layout.PASSAGE`)
    needs.bin        one record per need        (`layout.NEED`)
    need_texts.bin   the words of the needs, concatenated
    occurrences.bin  for each distinct passage text, the passages that contain it (offsets, then numbers)
    keys.bin         for each distinct passage text, 64 bits of its hash, the same in every segment
    names.bin        hashes of names and digests, ascending, then their document numbers
    terms.bin        term numbers, ascending, then the summed weight of the documents that contain them
    *_words.bin      postings of documents, passage texts and needs     (`postings`)
    links.bin        hashes of the references in documents, ascending, then the number of documents with each

Documents and passages are numbered from 0 in the order in which they were added. A passage text that several passages
share is indexed once, under its *text number*. Dense vectors have their own files (`vectors`).
"""

from vademecum.stores.flat.layout import PassageRecord
from vademecum.stores.flat.postings import Postings
from vademecum.stores.flat.reader import FlatReader, Strings
from vademecum.stores.flat.tables import Counts, Groups
from vademecum.stores.flat.vectors import Vectors, VectorsWriter, in_steps
from vademecum.stores.flat.writer import FlatWriter, link_hashes, name_hash

__all__ = [
    "Counts", "FlatReader", "FlatWriter", "Groups", "PassageRecord", "Postings", "Strings", "Vectors", "VectorsWriter", "in_steps", "link_hashes", "name_hash",
]  # fmt: skip
