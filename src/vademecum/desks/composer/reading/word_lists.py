"""Words that are, and words that are not, names of software."""

COMMON = frozenset(
    """at audit backup backups base bat bash benchmark benchmarks browser cage cellular certificates compiler compilers containers cron dashboards
    database debugger desktop dialog dracut driver drivers editor erlang expect file files firmware fish flex fonts fuse git-server go graphics gui
    hardened hardening hotspot ids init java javascript kiosk less locales logging lte make man micro metrics mesa mobile modem modems monitoring
    mount nats net network node notebooks ntp observability octave packer parallel parted perf ping podman-host portal printer printing profiler
    puppet python quick redis-like ros router ruby rust salt scanner scanning screen sensors serial share shell snap snapshots sound speakers splash
    squid stress sway swap tar terminal timer tree tuned unbound varnish virtual virtualization virtualisation vlan vpn watchdog wayland wine wireless
    wifi zip nfs smb samba-share gps pps can vim-like alerts apt bluetooth audio kde plasma steam fluent""".split()  # noqa: SIM905 - one list reads best
)
"""Phrases that are ordinary words, too: they are things asked for only where things are listed."""

NO_SOFTWARE = frozenset(
    """image images template templates system systems machine machines disk disks space size support access network networking networks user users
    account accounts root boot kernel thing things everything nothing something anything stuff partition partitions option options parameter
    parameters setup settings configuration configurations environment device devices server servers edge iot cloud minimal small tiny large big fast
    secure security production development testing test lab office home industrial use case cases basic default defaults standard features feature
    much many lots few little less more most best good better performance power hardware software tools tool utilities utility packages package
    programs program services service apps app applications application workloads workload line command first second last same different separate long
    term lts latest newest recent stable release version versions updates update upgrade upgrades language english german data files file folder
    folders directory name hostname password passwords one two three four five both none no yes ok okay please thanks thank hello hi real time
    altogether total overall whole inside it them those these me us you appliance appliances gateway gateways node nodes host hosts robot robots
    sensor sensors camera cameras screen screens display displays keyboard mouse monitor monitors laptop laptops desktop desktops computer computers
    pc pcs board boards chip chips footprint capabilities capability functionality ability connectivity internet online offline remote local field
    fleet factory headless bare metal virtual physical storage memory ram cpu gpu processor processors architecture arm intel amd nvidia graphics care
    attention care idea ideas way ways example examples demo demos project projects customer customers client clients team teams people person persons
    school class training course students student developers developer administrators administrator drive drives stick usb dvd cd sd card cards port
    ports serial console terminal shell ssh changes change modification modifications adjustments tweak tweaks extra extras another else well also too
    following usual necessary essentials essential""".split()  # noqa: SIM905 - one list reads best
)
"""Words after "with" and "add" that ask for nothing by themselves."""

STEMS = frozenset(
    """python3 python lib fonts php ruby golang node perl linux gstreamer1.0 gstreamer1 ros firmware gnome kde systemd xserver texlive openjdk java mysql
    mariadb postgresql nginx apache2 httpd docker podman kubernetes prometheus collectd telegraf zabbix nagios intel amd mesa xorg vim emacs zsh cloud
    dracut grub grub2 kernel selinux apparmor qemu libvirt virt pipewire pulseaudio alsa cups samba nfs bind9 bind dnf rpm apt gcc g++ clang llvm lua
    erlang tesseract hunspell aspell language""".split()  # noqa: SIM905 - one list reads best
)
"""What names of packages begin with: `python3-…`, `linux-…`."""

ENDS = frozenset(
    """dev devel utils tools client server common plugins headless doc extra extras cli daemon agent exporter libs modules data bin""".split()  # noqa: SIM905 - one list reads best
)
"""What they end with: `…-dev`, `…-utils`."""

NO_ACCOUNTS = frozenset(
    """uid gid with and for who that in to on having has have as is are should shall can may must will account accounts login user users name named called space
    interface experience data friendly management access group groups rights shell session sessions mode namespaces password passwords the a an of or
    without no not but plus which whose whom where when instead named by at from be it they he she this these those please also too only just new add
    remove delete sudo root-less either both any all every each named into via per defined configured created there here settings configuration
    permissions privileges credentials agent program programs software level id ids home homes directory directories service services get gets needs
    need wants want does do called""".split()  # noqa: SIM905 - one list reads best
)
"""Words after "user" that are not its name."""

OTHER_NAMED_THINGS = frozenset(
    [
        "it",
        "image",
        "template",
        "the",
        "host",
        "hostname",
        "machine",
        "partition",
        "this",
        "disk",
        "box",
        "server",
    ]
)
"""What is renamed that is no account."""

ORDINARY_ACCOUNTS = frozenset(
    [
        "data",
        "admin",
        "operator",
        "service",
        "guest",
        "login",
        "root",
        "user",
        "agent",
        "management",
        "program",
    ]
)
"""Words that are names of accounts, and ordinary words, too."""

NO_NAMES_OF_ACCOUNTS = frozenset(
    """uid gid me us it them him her i we you everyone nobody somebody user image use using""".split()  # noqa: SIM905 - one list reads best
)
"""Words that stand for an account without naming it, or for none."""

FILE_SYSTEMS = frozenset(["xfs", "btrfs", "ext4", "ext3", "f2fs", "ntfs", "zfs", "vfat", "fat32"])

NO_SOFTWARE_WITHIN = frozenset(
    """hostname disk partition user users account password size gb gib mb mib version name image template kernel address gateway port ports timezone
    boot bits root swap""".split()  # noqa: SIM905 - one list reads best
)
"""Words that make a part of a list something else than software."""

NO_SLIPS = frozenset(
    """adapt altitude arts attitude auto automate automated batch bids bird birds blog blue boat boats bond browse browsed cache cached caches cafe
    charge chroma collect collected collector compile compiled compiles cone constrained crown curls curly digit digits dock docked edit exec
    expert fail failed film filter fire fishy flex fuel fused gaps gist grip grips guide guides hops hyper lamps lash legs lesson lite logging
    loss macro mail mails mango manual manually marine mega mend mesh meta mini minor motor motors nose openness pace pack packed packet painting
    paired parsed pearl pearls pink pins pipe piped pipes pointer pointers polite posters print printed profile profiles prop props race rebase
    reddish resolve resume roam role roles ropes rows rusted rustic rusty sail sale sales sand scaling scan shard sharp sine slot slots smart
    snappy sonar span spark squad squids star stars stash stat stream streamed streams sugar swarm thermal trees tune tunes turtles valley vanish
    vanished visualisation visualization warn west widget wiki wind wing wins winter wipe wire""".split()  # noqa: SIM905 - one list reads best
)
"""Words of the language that stand near the name of some software, and are meant as they are written."""

_NOISE = frozenset(
    """a able about above absolutely accept access according across act actual actually add again against ago ahead all allow almost alone along already
    also although altogether always am amount an and another answer any anybody anyone anything anyway anywhere apart apparently appear apply approach
    appropriate are area aren't around arrange article as aside ask assume at automatic automatically available average avoid away awesome back bad bare
    based basic basically be because become been before begin behave behind being believe below beside besides best better between beyond big bigger
    bit block boring both box bring bug build built bunch business but buy by call came can can't cannot capable care careful carry case cause center
    certain certainly change cheap check choice choose city class classic clean clear clearly clever close collection colleague combination come comes
    coming comfortable common company compare competent complete completely complex concern condition connect consider consist contain content continue
    control cool corner correct cost could couple course create current currently custom customer cut daily data date day days deal decent decide decision
    dedicated deep default define definitely deliver depend describe desk detail determine dev developed difference different difficult directly discuss
    do doctor does doesn't doing don't done door doubt down draft during each earlier early easier easily easy either else embedded empty enable end
    engine english enjoy enough ensure enter entire entirely entry especially essential etc even event ever every everybody everyone everything
    everywhere exact exactly example excellent except exist expect expected experience explain extra extremely fact factory fair fairly fall familiar
    family fan fancy far fast favorite favourite feature feel few field figure final finally find fine finish first fit five flavor flavour floor fly
    focus follow following for force forget form former forth forward four free fresh friend friendly from front full fully fun function
    further future gave general generally generate get gets getting give given gives giving glad go goal goes going gone good got great green ground group
    guess guy guys had half hand handle handy happen happy hard hardly has have haven't having he head hear heard heart heavy held hello help helpful
    hence her here herself hey hi high highly him himself his hold home honest hope hour house how however huge hundred i i'd i'll i'm i've idea ideal
    ideally identical if imagine immediately important in include included includes including indeed individual inside instance instead intend intended
    interest into introduce involve is isn't issue it it'd it'll it's item its itself job join jump just keep keeps kept key kind kindly knew know known
    lab lack large largely larger last late later latter lay lead lean least leave left legacy less let let's level lie life light lightweight like
    likely limit line list little live load local location long longer look looking lose lot lots love low lower made main mainly maintain major make
    makes making man manage many map mark market match material matter may maybe me mean means meant measure meet member mention mere mess method middle
    might mind mine minimal minimum minute miss mix mode model modern modest moment money month more morning most mostly move much must my myself name
    namely natural naturally near nearly neat necessarily necessary need needed needs neither never new newest next nice nicely night no nobody nominal none
    nonetheless nor normal normally not note nothing notice now number object obvious obviously of off offer office often oh ok okay old on once one ones
    oneself only onto open operate opinion option optional or order ordinary original other others otherwise ought our ours ourselves out outside over
    overall own page paper part particular particularly party pass past pay people per perfect perfectly perform perhaps period person personal pick
    picture piece place plain plan play please plenty plus point poor popular position possible possibly practical precise prefer preferably preferred
    prepare present pretty prevent previous price primary probably problem process produce product production professional project proper properly
    protect provide public pull pure purpose push put quality question quick quickly quiet quite rather raw reach read ready real really reason
    reasonable receive recent recently record reduce refer regular reliable remain remember rename reply report request require required reserve
    respond rest result retail return review right robust room round rugged rule run running runs safe same save say says school screen scratch second
    section see seem seen select self send sense separate serious seriously serve set setup seven several shall shape share she shelf ship shop short
    should show side sign similar simple simply since single site situation six size skip slim slow small smaller so solid solution solve some somebody
    somehow someone something sometimes somewhat somewhere soon sorry sort sound space spare special specific spend spot stable staff stage stand
    standalone standard start starting state stay step stick still stock stop story straight strict strong stuff style subject such suggest suit
    suitable super sure surely swap sweet system table take taken takes talk target task team tell ten tend term test testing than thank thanks that
    that's the their theirs them themselves then there therefore these they thing things think third this those though thought three through throughout
    thus tidy tight time tiny to today together told tomorrow tonight too took tool top total totally touch toward towards town trade tried trim true
    trust try turn twice two type typical typically under understand unit unless unlike until unused up upon us usable use used useful user uses using
    usual usually value various version very via view visit voice wait walk want wanted wants was wasn't waste watch way we we'd we'll we're we've weak
    anymore rid split switch append boss favor favour fill mandate policy typing hasn't wasn't didn't remove removed delete drop uninstall exclude strip week weird welcome well went were what whatever when whenever where wherever whether which whichever while who whoever whole whom whose why wide
    will wise wish with within without won't wonder word work working works workload world worry worse worth would wouldn't wrap write wrong yeah year
    yes yet you you'd you'll you're you've young your yours yourself zero
    appliance appliances artifact arch architecture bits boot boots booted booting byte bytes capacity cli cmdline command compatible computer computers
    config configuration configure configured content cpu daemon deploy deployed deployment desktop developer development device devices dir directory
    disc disk disks distribution distro download drive drives edge environment file filename files filesystem folder footprint formatted framework gb gib
    golden grade hardware headless host hostname hosts image images industrial infrastructure install installation installed installer installs iot iso
    kernel laptop layout lib library libraries linux machine machines manager mb medium memory mib mount mounted network networked networking networks
    node nodes non os output package packages partition partitioned partitions password path pc platform platforms port ports preinstalled program
    programs ram recipe release repo repository rollout root router runtime scale script scripts security server servers service services settings shell
    size software spec specification ssd stack station storage storages suite support supported supporting supports tech template templates terminal
    text tools tooling toolchain toolchains toolkit tuned unix utilities utility vendor vm vms workstation yaml yml capability capabilities
    frills frill nonsense fuss bloat thirty gig gigs gigabyte gigabytes terabyte terabytes megabyte megabytes boxes baseline blank bootable classical
    compact customised customized efi flashable hardened hardware-agnostic homelab internal latest lean-ish leaner machinery maximum more-or-less
    multi-purpose nightly official optimised optimized partitioning pre-installed purposes reproducible requirement requirements slimmed something's
    stripped stripped-down suits uefi up-to-date usage versatile virtual x64 yours""".split()  # noqa: SIM905 - one list reads best
)


def is_noise(word: str) -> bool:
    """Whether a word says nothing of what an image shall have, in any of its forms."""
    word = word.lower().strip(".'-")
    forms = {word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("ed"), word.removesuffix("ing"), word.removesuffix("d"), word.removesuffix("ly")}  # fmt: skip
    return len(word) < 2 or word in NO_SOFTWARE or not forms.isdisjoint(_NOISE)
