"""Detect whether a request or question is in English, from its function words and script."""

from vademecum.text.patterns import Pattern

_SMALL = {
    "German": "und mit ohne ein eine einen einem der die das für auf ich bitte soll nicht oder auch brauche erstelle abbild mir kein keine zum zur den dem mach mache zu als ändere füge hinzu entferne lösche ist wie was wann wer wo habt ihr euer gibt es kann man bei wird haben sind von",
    "French": "et avec sans un une des le la les pour sur je veux dans avec aussi créer ajoute crée besoin du mais qui moi pas système comment quand où quel quelle est vous votre combien",
    "Spanish": "y con sin un una los las el la para en quiero necesito imagen también pero crear crea por favor del que cómo cuándo dónde qué cuál es hay cuánto",
    "Italian": "e con senza un una il lo gli per su voglio anche crea immagine della di che dal nel vorrei macchina come quando dove quanto posso è quali",
    "Portuguese": "e com sem um uma os as para em quero também criar crie imagem por favor não do da preciso como quando onde qual é quanto",
    "Dutch": "en met zonder een het de voor op ik wil ook graag maak niet geen van naar schijf hoe wanneer waar wie hebben jullie wat zijn",
    "Polish": "i z bez oraz dla na proszę obraz chcę nie do jest dysk utwórz jak kiedy gdzie czy ile jest",
    "Swedish": "och med utan en ett för på jag vill också skapa inte till avbild",
    "Turkish": "ve ile bir için olmadan istiyorum oluştur",
}
_ENGLISH = frozenset(
    """and with without a an the for on i we please should not or also need create make image to of in is it that want no from at my our build give add
    remove server be has have as so can this which if some all any more only you your its by they them""".split()  # noqa: SIM905 - one list reads best
)
_SCRIPTS = (
    ("Chinese or Japanese", Pattern(r"[\u3040-\u30ff\u4e00-\u9fff]", flags=0)),
    ("Korean", Pattern(r"[\uac00-\ud7af]", flags=0)),
    ("Russian or another language in Cyrillic", Pattern(r"[\u0400-\u04ff]", flags=0)),
    ("Arabic", Pattern(r"[\u0600-\u06ff]", flags=0)),
    ("Hebrew", Pattern(r"[\u0590-\u05ff]", flags=0)),
    ("Greek", Pattern(r"[\u0370-\u03ff]", flags=0)),
    ("Hindi", Pattern(r"[\u0900-\u097f]", flags=0)),
    ("Thai", Pattern(r"[\u0e00-\u0e7f]", flags=0)),
)
_SPLIT = {name: frozenset(words.split()) for name, words in _SMALL.items()}
_FEW = 4


def language_of(text: str) -> str:
    """Return the name of the language of a question or request; "" if it is English or unknown."""
    for name, pattern in _SCRIPTS:
        if len(pattern.findall(text)) >= _FEW:
            return name
    return _by_small_words(text, 2, 1.0)


def tag_of_document(text: str) -> str:
    """Return the BCP 47 tag of the language of a document by its beginning; "" if it is English or unknown."""
    sample = text[:_SAMPLE]
    letters = sum(map(str.isalpha, sample))
    for name, pattern in _SCRIPTS:
        if len(pattern.findall(sample)) > _SHARE_OF_SCRIPT * letters:
            return _TAGS[name]
    return _TAGS[_by_small_words(sample, max(5, round(_SHARE_OF_WORDS * len(sample.split()))), 2.0)]


_TAGS = {
    "": "", "German": "de", "French": "fr", "Spanish": "es", "Italian": "it", "Portuguese": "pt", "Dutch": "nl", "Polish": "pl", "Swedish": "sv", "Turkish": "tr",
    "Chinese or Japanese": "zh", "Korean": "ko", "Russian or another language in Cyrillic": "ru", "Arabic": "ar", "Hebrew": "he", "Greek": "el",
    "Hindi": "hi", "Thai": "th",
}  # fmt: skip
_SAMPLE = 8_000
_SHARE_OF_SCRIPT = 0.3
_SHARE_OF_WORDS = 0.08
"""The minimum shares of letters of a script, and of small words of a language, in a document."""


def _by_small_words(text: str, least: int, times: float) -> str:
    """Return the language with the most small words, if they are so many, and so many times those of English."""
    words = [word.strip(".,;:!?()\"'").lower() for word in text.split()]
    english = sum(word in _ENGLISH for word in words)
    counts = {name: sum(word in small for word in words) for name, small in _SPLIT.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] >= least and counts[best] > times * english + (english > 0) else ""
