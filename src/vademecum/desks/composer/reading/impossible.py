"""What no template can say, and why: it is named instead of being passed over."""

from collections.abc import Iterator

from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.reading.request import Request
from vademecum.desks.composer.wish import Wish

_NO_FIELD = "A template has no field for it"
_TABLE: tuple[tuple[str, str], ...] = (
    (r"(?:authorized[_ ]keys?|ssh[ -](?:public[ -])?keys?(?:\s+(?:for|of)\s+\w+)?|public\s+ssh\s+keys?|ssh-(?:rsa|ed25519)\s+\S+)", f"{_NO_FIELD}: bring the key as a file with additionalFiles, or by cloud-init."),
    (r"(?:\d+\s+)?(?:v?cpus?|cpu\s+cores?|processor\s+cores?|vcores?)(?=\s*(?:$|[.,;]|and\b|with\b))|(?:\d+|two|four|six|eight|sixteen)\s+cores?", f"{_NO_FIELD}: how many processors there are is a matter of the machine that runs the image."),
    (r"(?:install\w*\s+)?(?:the\s+)?(?:locale|system\s+language|language)\s+(?:is|to|of|:|=|set\s+to)?\s*[a-z]{2}[_-][A-Z]{2}(?:\.UTF-?8)?|[a-z]{2}_[A-Z]{2}\.UTF-?8(?:\s+locale)?|(?:german|french|spanish|italian|english|dutch|polish|swiss|us|uk|japanese|russian|swedish)\s+(?:locale|language)", f"{_NO_FIELD}: the language is set by a command of the operator's (configurations) or on the machine."),
    (r"(?:german|french|spanish|italian|us|uk|swiss|dvorak|azerty|qwertz|english|japanese|russian|swedish)?\s*keyboard\s*(?:layout|map)(?:\s+(?:to|is|of|:|=)?\s*\w+)?|(?:german|french|spanish|italian|us|uk|swiss|dvorak|azerty|qwertz|english|japanese|russian|swedish)\s+keyboard|keymap\s*\w*", f"{_NO_FIELD}: the keyboard is set by a command of the operator's (configurations) or on the machine."),
    (r"(?:(?:blue|red|green|black|white|gr[ae]y|dark|light|plain|custom|own|company)\s+)?(?:wall\s?paper|background\s+(?:image|picture))|desktop\s+background|screen\s?saver|(?:company\s+|our\s+)?logo|branding|colou?r\s+scheme|dark\s+(?:mode|theme)", _NO_FIELD + "."),
    (r"(?:open(?:s|ing)?|allow(?:s|ing)?|block(?:s|ing)?|close)\s+(?:tcp\s+|udp\s+|the\s+)?(?:inbound\s+|incoming\s+)?ports?\s+\d[\d, and-]*\d?|ports?\s+\d+(?:\s*(?:,|and)\s*\d+)*\s+(?:open|closed|allowed)|firewall\s+rules?(?:\s+for\s+[\w ]+)?", f"{_NO_FIELD}: rules of a packet filter are files or commands of the operator's."),
    (r"(?:lvm|logical\s+volumes?)\s+(?:layout|on\s+root|for\s+(?:the\s+)?root|volume\s+group)|root\s+on\s+lvm|volume\s+groups?", f"{_NO_FIELD}: a disk is laid out in partitions; the lvm2 package can be asked for."),
    (r"raid[ -]?(?:0|1|5|6|10)\b(?:\s+(?:array|across|over|on|with)\b[^.,;\n]{0,30})?|(?:two|three|four|several|mirrored|second|both)\s+disks?(?:\s+mirrored)?", f"{_NO_FIELD}: a template describes one disk without RAID; the mdadm package can be asked for."),
    (r"btrfs\s+(?:sub-?volumes?|snapshots?)|sub-?volumes?|snapshots?", _NO_FIELD + "."),
    (r"dual[- ]boot(?:s|ing)?(?:\s+with\s+\w+)?|boot\s+menu\s+with\s+windows", f"{_NO_FIELD}: an image holds one system."),
    (r"(?:upload|deploy|publish|push)\s+(?:it\s+)?(?:to|into)\s+(?:aws|s3|azure|gcp|google\s+cloud|the\s+cloud|ec2|a\s+registry|docker\s?hub)\b", "A template says how an image is built, and nothing of where it is sent afterwards."),
    (r"(?:build|compile)\s+(?:it|the\s+image)\s+(?:now|right\s+away|for\s+me)|start\s+the\s+build|run\s+the\s+build|boot\s+it\s+now", "Templates are only written here: the build is the image composer's."),
    (r"(?:run|execute)\s+(?:the\s+)?(?:command|script|shell\s+script)s?\b[^.;\n]{0,80}|(?:post-?install|first-?boot|startup)\s+(?:script|command)s?\b[^.;\n]{0,60}", "Commands are not taken from a request: write them into configurations yourself, where they can be reviewed."),
    (r"(?:cron\s?job|scheduled\s+job|timer)\s+(?:that|to|which|for|at|every)\b[^.;\n]{0,60}", f"{_NO_FIELD}: a job is a file or command of the operator's."),
    (r"(?:copy|include|add|put)\s+(?:the\s+|my\s+|our\s+)?files?\s+(?:from\s+)?[\w./~-]+\s+(?:to|into|in|at)\s+[\w./~-]+", "Files come in by additionalFiles, with a path on the machine that builds: write that into the template yourself."),
    (r"docker\s+images?\s+(?:of|called|named|pre-?loaded|preloaded|for)\b[^.,;\n]{0,40}|pre-?(?:load|pull)(?:ed)?\s+(?:the\s+)?(?:docker\s+|container\s+)?images?\b[^.,;\n]{0,40}", f"{_NO_FIELD}: container images are fetched on the machine."),
    (r"(?:wi-?fi|wlan)\s+(?:ssid|network\s+(?:called|named))\s+\S+|ssid\s+\S+", f"{_NO_FIELD}: a wireless network's name and password are a file of the operator's."),
    (r"password-?less\s+sudo|sudo\s+without\s+(?:a\s+)?password|nopasswd", f"{_NO_FIELD}: sudo can be granted, how it asks is a file of the operator's."),
    (r"auto-?\s?log(?:s)?[- ]?in|log(?:s|ged)?\s+in\s+automatically|automatic\s+login", f"{_NO_FIELD}: an automatic login is a file of the operator's."),
    (r"disable\s+(?:ssh\s+)?root\s+login|no\s+root\s+login|(?:disable|no|without)\s+password\s+(?:authentication|logins?)|key-?only\s+(?:ssh|login)", f"{_NO_FIELD}: what the SSH server allows is a file of the operator's."),
    (r"proxy\s+(?:at|of|server\s+at)?\s*https?://\S+|http_proxy\S*|https_proxy\S*", f"{_NO_FIELD}: a proxy is a file of the operator's."),
    (r"sysctl\s+\S+|sysctls?\b|ulimits?|kernel\s+sysctl\w*", f"{_NO_FIELD}: kernel settings beside its command line are a file of the operator's."),
    (r"selinux\s+(?:booleans?|ports?)\b|apparmor\s+profiles?\s+for\s+\w+", _NO_FIELD + "."),
    (r"(?:join(?:ed|s)?|member\s+of)\s+(?:the\s+|an?\s+)?(?:active\s+directory|ad\s+domain|windows\s+domain)", f"{_NO_FIELD}: a machine joins a domain when it runs."),
    (r"(?:as\s+(?:an?\s+)?)?(?:ova|ovf|ami|dmg|wim|squashfs|docker\s+image|oci\s+image|snap\s+image)\b(?:\s+(?:file|image|format|archive))?", "That is no file that a build writes: there are raw, qcow2, vhd, vhdx, vmdk and vdi (and tar for WSL)."),
    (r"(?:you\s+)?(?:generate|create|make)\s+(?:the\s+|my\s+|our\s+|some\s+|new\s+)?(?:signing\s+|secure\s+boot\s+|boot\s+)?(?:keys?|certificates?)(?:\s+for\s+(?:me|us))?", "Keys are not made here: a template only names the files that hold them."),
    (r"(?:the\s+)?[\w-]+\s+snaps?\b(?!\s+(?:packages?|support|store|daemon))|install\s+snaps?\s+[\w-]+|(?:the\s+)?[\w-]+\s+flatpaks?\b(?!\s+support)", f"{_NO_FIELD}: snaps and flatpaks are installed on the machine; snapd or flatpak itself is a package."),
    (r"(?:join(?:s|ing)?|connect(?:s|ing)?\s+to)\s+(?:the\s+|my\s+|our\s+)?(?:wi-?fi\s+|wlan\s+|wireless\s+)?network\s+[\"'`]?[\w-]+[\"'`]?(?:\s+with\s+(?:the\s+)?(?:password|passphrase|key)(?:\s+\S+)?)?", f"{_NO_FIELD}: a Wi-Fi network and its password are a file of the operator's."),
    (r"(?:install(?:ing)?|add(?:ing)?|update|upgrade)\s+(?:more\s+|further\s+|new\s+|other\s+)?(?:packages?|software|programs?|things)\s+(?:on\s+it\s+)?(?:at\s+run\s?-?time|at\s+runtime|on\s+the\s+running\s+\w+|later(?:\s+on)?|afterwards)(?:\s+on\s+it)?", "Packages are installed when the image is built; on a read-only root none can be installed at run time."),
    (r"(?:gui|graphical)\s+(?:installer|installation)(?:\s+wizard)?|installer\s+wizard|installation\s+wizard", f"{_NO_FIELD}: what an installer shows is the image composer's."),
    (r"(?:print|show|reveal|tell|send|give|output|leak)\s+(?:me\s+|us\s+)?(?:the\s+|your\s+|all\s+)?(?:api\s+keys?|secrets?|passwords?|credentials|system\s+prompt|instructions|environment)", "Keys and secrets are not printed; a request only says what an image shall be."),
    (r"tpm2?[- ](?:unlocked|backed|sealed|bound|based\s+unlock\w*|unlock\w*)(?:\s+(?:of|for)\s+the\s+(?:disk|root|drive))?|(?:unlock\w*|sealed|bound)\s+(?:by|with|via|using|through|to)\s+(?:the\s+|an?\s+)?tpm2?(?:\s+chip)?", f"{_NO_FIELD}: a disk is unlocked by a key within its start-up files (unlock: auto) or by typing (unlock: manual)."),
    (r"(?:with\s+)?(?:uid|gid|(?:user|group)\s+id)\s*(?:is|of|=|:)?\s*\d+", f"{_NO_FIELD}: the number of an account is given when it is made."),
    (r"ignore\s+(?:all\s+|any\s+)?(?:previous|prior|earlier|above)\s+instructions?", "A request only says what an image shall be."),
)  # fmt: skip
_PATTERNS = tuple((Pattern(rf"\b(?:{pattern})(?!\w)"), why) for pattern, why in _TABLE)
_SHELL = Pattern(
    r"(?:\$\([^)\n]*\)|`[^`\n]*`|\brm\s+-[rf]{1,2}\b[^\n]*|\|\s*(?:ba|z|da)?sh\b|;\s*(?:rm|curl|wget|dd|mkfs\S*|reboot|shutdown|chmod|chown|cat|nc|bash|sh|python3?)\s+-?\S[^\n;]*|&&\s*\S[^\n;]*|\$\{[^}\n]*\}|>\s*/(?:etc|dev|root)/\S+)",
    flags=0,
)
_SHELL_WHY = "Commands are never taken from a request, and none was run."


def read_shell(request: Request) -> Iterator[Wish]:
    """Stretches that are shell text. They are taken out before anything else is read."""
    for found in request.find(_SHELL):
        yield request.wish("impossible", _SHELL_WHY, found)


def read(request: Request) -> Iterator[Wish]:
    """The wishes that no template can fulfil."""
    lowered = request.left.lower()
    for pattern, why in _PATTERNS:
        if not _may_be(pattern.source, lowered):
            continue
        for found in request.find(pattern):
            if not request.is_wanted(found.start()) and not request.is_wanted(found.end() - 1):
                continue
            yield request.wish("impossible", why, found)


def _may_be(source: str, lowered: str) -> bool:
    """Whether a text has any of the words that a pattern needs; it spares compiling most of them."""
    return any(word in lowered for word in _HINTS[source])


_HINTS = {
    pattern.source: words
    for (pattern, _), words in zip(
        _PATTERNS,
        (
            ("key",), ("cpu", "core"), ("locale", "language", "utf"), ("key",), ("paper", "background", "saver", "logo", "brand", "scheme", "dark"),
            ("port", "firewall"), ("lvm", "volume"), ("raid", "disk"), ("volume", "snapshot"), ("boot",), ("upload", "deploy", "publish", "push"),
            ("build", "compile", "boot", "start"), ("command", "script"), ("cron", "job", "timer"), ("file",), ("image",), ("ssid", "wifi", "wi-fi", "wlan"),
            ("sudo", "nopasswd"), ("log",), ("log", "ssh", "password", "key"), ("prox",), ("sysctl", "ulimit", "kernel"), ("selinux", "apparmor"),
            ("join", "member"), ("ova", "ovf", "ami", "dmg", "wim", "squash", "image"), ("key", "certificate"), ("snap", "flatpak"), ("join", "connect"),
            ("run", "later", "after"), ("install", "wizard"), ("print", "show", "reveal", "tell", "send", "give", "output", "leak"), ("tpm",), ("id",), ("ignore",),
        ),
        strict=True,
    )
}  # fmt: skip
