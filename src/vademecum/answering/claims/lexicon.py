"""Words of technical English, by hand: irregular forms, words that say the same, words that say the opposite."""

# ruff: noqa: SIM905 - word lists read best

import re

STOP_WORDS = frozenset(
    """
    a about across after again all along already also although always among an and another any anybody anything are
    aren as at be because been before being besides between beyond both but by can case could despite did directly do
    does doesn don done during each either else even ever every everybody everyone everything except for from further
    had has have having he her here him his how however i if in instead into is isn it its itself just later like may
    me meanwhile might moreover must my near no now of off often on once one ones only onto or other otherwise our out
    over own per quite rather really regardless s same shall she should simply since so some somebody something soon
    still such t than that the their them themselves then there therefore these they thing things this those though
    through thus to too toward towards under unlike until up upon us use used uses using very via was way we well were
    what whatever when where whereas which whichever while who whom whose why will with within won would yes yet you
    your
    """.split()
)
"""Words that carry little by themselves."""

LIGHT_WORDS = """
file option command set name value program default system given specify print number list string line user argument
call function process time make create give get show take put work need want mean allow let change follow type mode
form kind stand say tell leave lead come go add look
""".split()
"""Words that are said of almost anything."""

GLUE_WORDS = """
make makes get say says lead go tell take let come keep need give put stand show mean work help matter count turn call know look
happen start serve belong depend want ask become seem stay bring hold turn try choose possible enough new much far long little
great good right back away behind together alone ahead plus further likewise reason result fact kind sort instance example
case sense part side place moment date effect whole old own else real else able easy hard simple plain usual sure likely way
""".split()
"""Words that hold a sentence together in other places than they do in the text."""

NEGATIONS = frozenset(
    ["not", "no", "never", "none", "nor", "neither", "nothing", "without", "nobody", "nowhere"]
)
"""Words that turn what follows into its opposite."""

SOFT_NEGATIONS = frozenset(
    """
    absence absent avoid avoided avoids barred but denied denies deny deprecated differ different differs disable
    disabled disables disallow disallowed discard discarded discards drop dropped drops empty except exclude
    excluded excludes fail failed failing fails forbid forbidden forbids free hardly ignore ignored ignores ignoring
    impossible independent ineffective instead lack lacking lacks lose lost minus missing none nonexistent obsolete
    omit omits omitted only prevent prevented preventing prevents prohibit prohibited rarely rather refuse refused
    refuses refusing regardless reject rejected rejects seldom skip skipped skips stop stops suppress suppressed
    suppresses unable unaffected unchanged undefined unless unnecessary unspecified until useless
    """.split()
)
"""Words that may do so."""

NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen""".split()
    )
} | {
    "once": "1",
    "twice": "2",
    "single": "1",
    "both": "2",
    "half": "1/2",
    "twenty": "20",
    "thirty": "30",
    "sixty": "60",
    "hundred": "100",
    "thousand": "1000",
    "dozen": "12",
    "double": "2",
    "pair": "2",
}
"""Numbers in words."""

VAGUE_NUMBERS = frozenset(["one", "once", "single", "both", "half", "double", "pair"])
"""Words that are seldom meant as a number."""

ORDINALS = {
    word: f"#{number}"
    for number, word in enumerate(
        "zeroth first second third fourth fifth sixth seventh eighth ninth tenth".split()
    )
} | {"last": "#last", "final": "#last"}

SIZES = {"k": 1024, "kib": 1024, "m": 1024**2, "mib": 1024**2, "g": 1024**3, "gib": 1024**3}
"""Units behind a number, and what they stand for."""

PREFIXED = re.compile(r"(?:un(?!der|i[tqovf]|til|less|link|ix|to)|non(?!e|ce))([a-z]{4,})$")
"""Words whose first letters turn them into their opposite."""

UNLIKE = {
    pair.partition(">")[0]: pair.partition(">")[2]
    for pair in """
    invalid>valid incorrect>correct inactive>active incomplete>complete insensitive>sensitive insecure>secure
    invisible>visible inaccessible>accessible indirect>direct inconsistent>consistent impossible>possible improper>proper
    irrelevant>relevant irregular>regular illegal>legal disable>enable disabled>enabled disables>enables
    disconnect>connect disconnected>connected disallow>allow disallowed>allowed disallows>allows decompress>compress
    decompressed>compressed decompresses>compresses decompressing>compressing decrypt>encrypt decrypted>encrypted
    insufficient>sufficient independent>dependent unable>able unequal>equal harmless>harmful nonempty>empty
    nonexistent>existent nonzero>zero unsuccessful>successful unsuccessfully>successfully ineffective>effective
    """.split()
}
"""Others of that kind, and what they are the opposite of."""

IRREGULAR = dict(
    pair.split(">")
    for pair in """
    are>be been>be began>begin begun>begin best>good better>good bigger>big bought>buy bound>bind broke>break
    broken>break brought>bring built>build caught>catch children>child chose>choose chosen>choose copies>copy
    criteria>criterion cut>cut data>data dealt>deal depth>deep did>do died>die dies>die dir>directory
    directories>directory dirs>directory does>do done>do drawn>draw driven>drive dying>die earlier>early
    earliest>early entries>entry fallen>fall faster>fast fed>feed fell>fall fewer>few forgotten>forget found>find
    gave>give given>give gone>go got>get gotten>get grew>grow grown>grow had>have has>have height>high held>hold
    hidden>hide higher>high highest>high hung>hang indexes>index indices>index is>be kept>keep knew>know known>know
    lain>lie larger>large largest>large later>late latest>late lay>lie least>little leaves>leave led>lead left>leave
    length>long lengths>length less>little lies>lie longer>long lost>lose lower>low lowest>low made>make
    matrices>matrix meant>mean met>meet more>many most>many newer>new newest>new older>old oldest>old
    overridden>override overrode>override overwritten>overwrite paid>pay processes>process put>put ran>run read>read
    risen>rise rose>rise running>run said>say saw>see seen>see sent>send set>set shorter>short shown>show
    shrank>shrink shrunk>shrink shut>shut slept>sleep slid>slide slower>slow smaller>small smallest>small sought>seek
    spent>spend split>split sprung>spring stood>stand strength>strong struck>strike stuck>stick sunk>sink taken>take
    taught>teach thought>think thrown>throw told>tell took>take tried>try tries>try understood>understand
    vertices>vertex was>be went>go were>be width>wide woke>wake woken>wake worn>wear worse>bad worst>bad written>write
    wrote>write zeroes>zero zeros>zero
    """.split()
)
"""Forms that no stemmer knows."""

SYNONYMS = """
delete remove erase unlink rid drop purge discard discards wipe; file files filename; directory folder dir; show
display print output list report prints write emit tell; print write output emit; make create generate produce
build; start begin launch commence open run; start starting startup boot; run execute invoke call launch; call
invoke; stop end terminate halt quit exit finish cease abort; kill terminate; end finish complete final last; end
trailing tail; last final; change modify alter edit adjust update; change replace convert; replace substitute
overwrite instead exchange; overwrite clobber replace; convert translate transform turn; use employ utilize apply
take usage; use need require; set specify define give put configure assign; choose select pick; specify name give
indicate designate define state; give supply provide pass specify; give return yield produce; name call; let allow
permit enable can may able; permission right access mode; forbid prohibit prevent disallow deny refuse reject;
refuse reject deny decline; prevent avoid stop keep; avoid evade skip; skip omit ignore bypass leave exclude; ignore
disregard skip discard neglect effect; exclude omit leave except skip; include contain hold comprise have; contain
hold have consist; need require must necessary want; must require necessary need have should; should ought recommend
must; recommend advise suggest should; want wish desire; try attempt; fail error failure unsuccessful; error problem
fault wrong incorrect mistake; wrong incorrect invalid bad; succeed success successful work well; invalid bad
incorrect illegal; legal valid allowed; find locate search discover look; search look seek; check verify test
examine inspect see look determine; check control; see view look; decide determine choose; determine find detect;
detect recognize notice find; wait block sleep pause hang; wait delay; delay wait pause lag; sleep suspend; suspend
sleep pause; resume continue restart; continue proceed resume go; keep retain preserve maintain save store hold
stay; keep remain stay leave; preserve keep retain maintain; remain stay keep leave; save store write keep; store
hold keep record save; record store log note; get obtain retrieve fetch receive acquire; receive get; read take;
send transmit deliver; send issue; deliver receive arrive; copy duplicate; copy copied; move shift transfer rename;
transfer transmission; rename move name; join combine merge concatenate unite link; combine together join; split
divide separate break; separate apart split distinct different; connect attach link join; attach connect; link
symlink; symlink symbolic; disconnect detach; increase raise grow enlarge extend rise higher bump more; extend
lengthen enlarge grow expand; expand grow extend; decrease lower reduce shrink drop lessen less fewer; lower reduce
decrease; shrink reduce truncate; truncate cut shorten; cut truncate chop; large big great huge long; small little
short tiny; maximum most limit up largest highest; minimum least smallest lowest; minimum estimated; limit restrict
bound cap maximum ceiling; restrict limit confine constrain; exceed above over beyond more past greater larger;
above over exceed more beyond greater; below under beneath less; inside within in; outside beyond; before previous
prior earlier preceding; after following then subsequent later; next following subsequent; previous former earlier
preceding last; first initial; initial start beginning; begin start; beginning start; current present now; present
exist current; exist there present available; missing absent lack not nonexistent; absent missing; lack without
missing; without no lack; empty blank nothing null; blank whitespace space empty; space blank room; newline line;
same identical equal equivalent like; equal same equivalent match; equivalent same corresponding; similar like; like
as similar; different differ other another distinct; other another else rest different; rest other remaining
remainder; remaining rest left; only just merely solely alone nothing; all every each whole entire everything any;
whole entire complete all full; complete full whole finish; any arbitrary whatever every; some several certain;
several multiple many more various; multiple several many more; both two; twice two double; double two twice; half
two; once one single; single one; none no nothing; always every ever; never not no; often usually frequently;
usually normally ordinarily typically generally commonly often; normal ordinary usual regular standard default;
default normally unless otherwise standard usual preset; default otherwise without; automatically itself automatic;
manual hand manually; immediately once right directly instantly straight; simultaneously concurrently parallel once
together time; parallel simultaneous; repeatedly again; again re repeat; repeat again; quick fast speed; slow delay;
fast quick speed performance; improve better faster; speed performance fast; possible can able; cannot impossible
unable; impossible cannot; enough sufficient; sufficient enough; important significant; useful handy help; help
useful; cause make let lead result; cause reason; result outcome lead give; happen occur take; occur appear happen
stand exist; appear occur show; appear turn; show indicate; indicate show say tell mark mean; mean signify stand
indicate denote imply represent; mean imply; imply mean include; stand represent; describe explain document; explain
describe; ask prompt request query; ask prompt; request ask; reply answer response respond; answer reply response;
confirm ask; quiet silent suppress; silent quietly; suppress hide quiet; hide suppress; verbose detail; message text
warning notice; warn warning; warning caution message; text string; string text word characters; character letter
char; letter character; number count digit amount many quantity; amount number quantity size; count number; size
length big large bytes; length size long; value number setting; variable environment; setting option configuration
value; option flag switch; argument parameter operand value; parameter argument option; operand argument; command
program utility tool; program process application command tool executable binary; application program process; task
process job; process task; function call; kernel linux; system machine host computer; machine computer host system;
host machine; user account person who you one owner; you user one caller; caller process; account user; person user
people; owner own belong owned; belong own of; superuser root administrator privileged; privileged root superuser;
administrator root superuser; admin administrator; password passphrase; group groups; child descendant; parent
ancestor; nested subdirectory; recursive recursively subdirectory beneath below; descend recurse; hardware device;
device disk drive; disk drive storage; drive disk; ssd solid; filesystem file-system fs; mount attach; unmount
umount detach; partition device; network net; address ip; port socket; socket endpoint; descriptor fd handle; handle
treat process deal; treat handle consider regard interpret take; consider treat regard; interpret treat take read
understand; regard treat consider; understand know recognize accept; accept take allow understand recognize; accept
receive; recognize know accept understand; know recognize; support provide offer able have; support work; offer
provide support; provide give offer supply; available exist ready; ready available; effect influence affect work
impact; affect influence apply effect; apply affect hold effect; influence affect; active enabled on; enable
activate on switch turn allow; activate enable; disable deactivate off turn switch; off disable; turn switch; switch
turn change toggle; reset clear zero; clear reset empty; clear unset; flush write; erase clear; free release
available; release free; allocate reserve; reserve allocate; memory ram storage; region area range; area region;
range interval between from; between range; position offset place location; place location position where; location
place where position; where location; offset position; point refer; refer point mean reference; follow dereference;
point place position; resolve follow; target destination; destination target; source origin; origin source; original
old source; old former previous original; new fresh; time moment; moment time; date time; second s sec; minute min;
hour h; duration time long period; period time interval; interval period; timeout limit; expire pass out; elapse
pass expire; pass elapse; late later; soon early; signal notify; notify tell inform signal; inform tell notify; tell
inform; event occurrence; lock hold; exclusive alone sole; share common; common shared usual; private own; public
shared; own itself; itself own self; visible seen; sort order arrange; order sequence sort; sequence order; reverse
opposite backward; opposite reverse contrary; compare differ; match correspond fit; correspond match; pattern
expression regex regexp; regular ordinary; expression pattern; line row; row line; column field; field column; page
document; document page; section part; part portion piece section; portion part; piece part chunk; chunk piece; item
entry element; entry item line record; element item; member entry; key name; header heading; heading title; comment
note; note remark; format form layout syntax; form format; syntax form; style form; type kind sort; kind type; class
type; binary executable; compress pack; decompress uncompress extract unpack; extract unpack take; archive tar;
encrypt cipher; decrypt decode; secure safe; safe secure; danger risk unsafe; risk danger; careful caution; corrupt
damage broken; damage corrupt broken; broken damage; repair fix correct; fix repair correct; correct right proper;
right correct; proper correct; exact precise same; precise exact; approximate about rough; about approximately
around regarding; estimate guess approximate; guess estimate; calculate compute; compute calculate; sum total; total
sum all; average mean; distribute spread share; spread distribute; assume suppose take; suppose assume; expect
assume; depend rely; rely depend; unless except without if; if when case whether provided; when if while once as
case; while during when; during while; because since as reason; since because as after from; so thus therefore
hence; therefore so thus; instead rather; instead place; even also; also too well additionally both; too also; well
also; but however although except; except but other unless; although though but; however but; using with via by; via
through by; through via by; explicit given specified explicitly; specified given named; given specified passed;
passed given; implicit automatically implied; background daemon; foreground front; interactive prompt; terminal tty
screen console; screen terminal; console terminal; standard std; stdin input; stdout output; stderr error; input
stdin; output stdout; log journal record; journal log; history past; persistent permanent lasting survive; permanent
persistent; temporary tmp transient; lose discard; lost gone discarded; gone lost vanish disappear; vanish
disappear; disappear go; die exit end terminate; dead died; terminate die end; zombie defunct; status code value
state; code status number; state status; condition state; hexadecimal hex; octal 8; decimal 10; numeric number; sign
plus minus; prefix front beginning begin precede; suffix ending extension end; extension suffix; ending suffix;
precede before; case letter; uppercase capital upper; lowercase lower small; capital uppercase upper; upper capital;
identifier id; id identifier; unique distinct only; duplicate repeat same double; distinct different unique;
adjacent next neighboring; nearest closest; near close; close shut; open opened; shut close; level degree; degree
level; priority nice importance; weight priority; mask bits; bit flag; bits flags; flag bit; unit measure; block
chunk; sector block; byte bytes; buffer cache; cache buffer; queue backlog; pool set; set group; collection set;
list enumerate; table list; database file; backup copy; restore recover; recover restore; undo revert; revert undo
restore; install add; add append install insert include; append add; insert add put; uninstall remove; upgrade
update; download fetch get; upload send put; url address; redirect follow; redirection redirect; proxy gateway;
server daemon service; service daemon server; client caller; remote other; local own; peer other; session login;
login log; logout exit; authenticate login; join enter; enter join go; reach get arrive access; access reach use
open; arrive come reach; come arrive; leave exit; return give back; back return; go move; map assign; assign give
set; load read; unload remove; reload reread; reread reload; parse read interpret; evaluate compute; escape quote;
quote enclose; enclose surround wrap quote; surround enclose; wrap fold; fold wrap; indent align; align multiple;
multiple times; factor times; ratio share; percent percentage; percentage percent; fraction part; major main; main
primary chief; primary main first; secondary second; minor small; special particular specific; specific particular
certain special; particular specific certain; certain particular specific; general global overall; global overall
everywhere; overall global; everywhere all; anywhere any; somewhere some; elsewhere other; nowhere no; concern
regard apply about; relate concern; useless ineffective pointless; ineffective effect useless; effective effect;
disregard ignore; obey honor respect follow; honor obey respect; respect obey honor; violate break; consist contain;
compose consist; construct make build; destroy delete remove; demand require; fill full; full fill; pad fill; trim
cut strip remove; strip remove trim; raw unprocessed; plain simple; simple easy plain; easy simple; hard difficult;
difficult hard; complex complicated; complicated complex; bug error; trouble problem; situation case; case
situation; scenario case; example instance; instance example; sample example; purpose use; goal purpose; reason why;
way method manner how; method way; manner way; mode way; step stage; stage step phase; phase stage; cycle loop; loop
cycle; iteration pass round; round iteration; turn round; attempt try; retry again; distinguish differ tell;
deprecated obsolete old avoid; obsolete deprecated; historic old; modern new; portable everywhere; undefined
unspecified; unspecified undefined; guarantee ensure sure; ensure guarantee sure make; sure ensure certain
guarantee; promise guarantee; certain sure; likely probably chance; probably likely; perhaps maybe may might; might
may could; could can might; may can might; able can; allow can; forbidden not allowed
"""
"""Words that may stand for each other in a manual, in groups."""

ANTONYMS = """
before after; first last; all none; all some; always never; always sometimes; everything nothing; increase decrease;
increase reduce; increase lower; raise lower; raise reduce; grow shrink; expand shrink; enable disable; enabled
disabled; allow forbid; allow prevent; allow refuse; accept refuse; accept reject; accept ignore;
include exclude; include omit; keep discard; keep delete; keep remove; keep lose; preserve discard; preserve lose;
retain discard; show hide; show suppress; print suppress; open close; opened closed; start stop; start end; begin
end; beginning end; create delete; create remove; add remove; add delete; append overwrite; append truncate; append
prepend; read write; input output; send receive; succeed fail; success failure; success error; success nonzero;
valid invalid; correct wrong; legal illegal; empty nonempty; empty full; set unset; set clear; lock unlock; locked
unlocked; mount unmount; mounted unmounted; compress decompress; compress uncompress; pack unpack; encrypt decrypt;
connect disconnect; attach detach; block unblock; blocked ignored; known unknown; defined undefined; specified
unspecified; signed unsigned; safe unsafe; secure insecure; sensitive insensitive; uppercase lowercase; upper lower;
capital lowercase; left right; top bottom; front back; head tail; up down; above below; over under; inside outside;
within outside; internal external; minimum maximum; most least; more less; more fewer; more smaller; greater less;
greater smaller; larger smaller; large small; longer shorter; long short; high low; higher lower; highest lowest;
largest smallest; newest oldest; new old; newer older; earlier later; early late; fast slow; faster slower; same
different; same opposite; equal different; identical different; positive negative; ascending descending; increasing
decreasing; forward backward; forwards backwards; source destination; source target; local remote; parent child;
user kernel; real effective; hard soft; hard symbolic; blocking nonblocking; synchronous asynchronous; foreground
background; public private; shared private; shared exclusive; temporary permanent; volatile persistent; static
dynamic; manual automatic; manually automatically; implicit explicit; mandatory optional; required optional;
required unnecessary; necessary unnecessary; possible impossible; must may; must optional; can cannot; able unable;
present absent; present missing; exist missing; exist absent; exists missing; available unavailable; visible
invisible; visible hidden; quiet verbose; follow dereference; recursive nonrecursive; immediately later; immediately
delayed; still longer; with without; yes no; on off; true false; zero nonzero; null nonnull; even odd; single
multiple; single several; one several; one all; one many; one both; either both; both neither; only also; only all;
any no; every no; some no; many few; often rarely; often seldom; usually never; usually rarely; ordinary special;
ordinary privileged; privileged unprivileged; root unprivileged; owner others; direct indirect; relative absolute;
binary text; online offline; online unmounted; advisory mandatory; logical physical; active inactive; running
stopped; installed removed; install remove; upgrade downgrade; freed allocated; free allocate; allocate release;
inherit clear; inherited cleared; preserved reset; kept reset; kept closed; unchanged moved; unchanged changed;
change unaffected; changed unaffected; affect unaffected; ignore honor; ignore obey; ignore apply; ignored apply;
ignored counts; ignored count; ignored used; skip include; skip process; overflow underflow; fatal harmless; join
detach; joinable detached; server client; sender receiver; reader writer; caller callee; numeric alphabetical;
decimal hexadecimal; octal decimal; seconds minutes; seconds hours; minutes hours; hours days; days weeks; seconds
milliseconds; milliseconds microseconds; microseconds nanoseconds; bytes bits; bytes kilobytes; bytes blocks; bytes
characters; bytes lines; words lines; lines characters; bytes sectors; kilobytes megabytes; megabytes gigabytes
"""
"""Pairs of words of which one in the place of the other turns a sentence around."""

KINDS = """
octal decimal hexadecimal binary; second minute hour day week month year millisecond microsecond nanosecond;
byte bit kilobyte megabyte gigabyte block sector character line word page; left right top bottom middle; input output error;
monday tuesday wednesday thursday friday saturday sunday; read write execute; owner group others; parent child sibling;
sender receiver; tcp udp; ascii utf-8; red green blue;
symbolic numeric; north south east west; http https ftp; sha1 sha256 sha512 md5; big little; soft hard; kernel user;
ext2 ext3 ext4 xfs btrfs; integer string boolean float;
header body; header trailer; prefix suffix; public private; source destination; major minor; primary secondary;
encrypted plain; compressed uncompressed; interactive noninteractive; local remote global; temporary permanent;
foreground background; signed unsigned
"""
"""Words of which one in the place of another says another thing, a kind a line."""
