"""The metadata of an archive."""

import re
from typing import NamedTuple

from vademecum.sources.zim.archive import Archive
from vademecum.sources.zim.directory import printable

UNKNOWN = "und"

_SHORT = """
    aar aa abk ab afr af aka ak amh am ara ar arg an asm as ava av ave ae aym ay aze az bak ba bam bm bel be ben bn
    bis bi bod bo bos bs bre br bul bg cat ca ces cs cha ch che ce chu cu chv cv cor kw cos co cre cr cym cy dan da
    deu de div dv dzo dz ell el eng en epo eo est et eus eu ewe ee fao fo fas fa fij fj fin fi fra fr fry fy ful ff
    gla gd gle ga glg gl glv gv grn gn guj gu hat ht hau ha hbs sh heb he her hz hin hi hmo ho hrv hr hun hu hye hy
    ibo ig ido io iii ii iku iu ile ie ina ia ind id ipk ik isl is ita it jav jv jpn ja kal kl kan kn kas ks kat ka
    kau kr kaz kk khm km kik ki kin rw kir ky kom kv kon kg kor ko kua kj kur ku lao lo lat la lav lv lim li lin ln
    lit lt ltz lb lub lu lug lg mah mh mal ml mar mr mkd mk mlg mg mlt mt mon mn mri mi msa ms mya my nau na nav nv
    nbl nr nde nd ndo ng nep ne nld nl nno nn nob nb nor no nya ny oci oc oji oj ori or orm om oss os pan pa pli pi
    pol pl por pt pus ps que qu roh rm ron ro run rn rus ru sag sg san sa sin si slk sk slv sl sme se smo sm sna sn
    snd sd som so sot st spa es sqi sq srd sc srp sr ssw ss sun su swa sw swe sv tah ty tam ta tat tt tel te tgk tg
    tgl tl tha th tir ti ton to tsn tn tso ts tuk tk tur tr twi tw uig ug ukr uk urd ur uzb uz ven ve vie vi vol vo
    wln wa wol wo xho xh yid yi yor yo zha za zho zh zul zu
    alb sq arm hy baq eu bur my chi zh cze cs dut nl fre fr geo ka ger de gre el ice is mac mk mao mi may ms per fa
    rum ro slo sk tib bo wel cy
    cmn zh arb ar pes fa swh sw zsm ms ekk et lvs lv
""".split()  # noqa: SIM905 - a table of two hundred pairs reads better as words
"""Pairs of an ISO 639-3 code and its ISO 639-1 code; then the same for ISO 639-2/B codes, and for members of
language groups that are known by the name of the group.
"""

_TWO_LETTERS = dict(zip(_SHORT[::2], _SHORT[1::2], strict=True))
_TAG = re.compile(r"([A-Za-z]{2,3})((?:[-_][A-Za-z0-9]{2,8})*)")


def bcp47(code: str) -> str:
    """Return the shortest tag of a language, or "" if the code is invalid.

    >>> bcp47("eng"), bcp47("bel"), bcp47("en_GB"), bcp47("gsw"), bcp47("=en"), bcp47("?")
    ('en', 'be', 'en-GB', 'gsw', 'en', '')
    """
    found = _TAG.fullmatch(code.strip(" ="))
    if not found:
        return ""
    language = found[1].lower()
    return _TWO_LETTERS.get(language, language) + found[2].replace("_", "-")


_COUNT = re.compile(r"([^;=]+(?:;[^;=]+=[^;=]+(?==))*)=(\d+)(?:;|$)")


class Metadata(NamedTuple):
    """The metadata that an archive declares; "" or 0 if it does not declare a value.

    Attributes:
        language: The first of the languages, a BCP 47 tag; `und` if none is declared.
        date: The date of creation, as written (`2025-04-09`).
    """

    title: str
    language: str
    languages: tuple[str, ...]
    creator: str
    date: str
    articles: int
    counter: dict[str, int]


def read_metadata(archive: Archive) -> Metadata:
    """Read the metadata that an archive declares."""
    languages = languages_of(archive)
    counter = parse_counter(archive.metadata("Counter"))
    html = sum(count for mime, count in counter.items() if mime.partition(";")[0].strip() == "text/html")
    return Metadata(
        title=printable(archive.metadata("Title")),
        language=languages[0],
        languages=languages,
        creator=printable(archive.metadata("Creator")),
        date=printable(archive.metadata("Date")),
        articles=archive.front_count() or html,
        counter=counter,
    )


def languages_of(archive: Archive) -> tuple[str, ...]:
    """Return the languages of an archive, at least one, as BCP 47 tags."""
    codes = re.split(r"[,;\s]+", archive.metadata("Language"))
    found = dict.fromkeys(tag for code in codes if (tag := bcp47(code)))
    return tuple(found) or (UNKNOWN,)


def parse_counter(text: str) -> dict[str, int]:
    """Return the number of entries of each type. Types may have parameters.

    >>> parse_counter("image/png=2;text/html;raw=true=3;text/html=1")
    {'image/png': 2, 'text/html;raw=true': 3, 'text/html': 1}
    """
    return {mime.strip(): int(count) for mime, count in _COUNT.findall(text) if len(count) < 12}
