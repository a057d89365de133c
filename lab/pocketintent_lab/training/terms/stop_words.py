"""English stop words of term extraction, and the words that identify verbs and nouns."""

from __future__ import annotations

_DETERMINERS = "a an the this these those its their our his her your my each any some all that such"
_VERB_LEADS = (
    "to we i you they he she it who can cannot could may might must shall should will would not "
    "let do does did don 'll 'd"
)
_NOUN_LEADS = "of in for with by on from as between"
_PRONOUNS = "me us him them himself herself itself themselves ourselves mine yours ours theirs one"
_PREPOSITIONS = (
    "about above across after against along among amongst around as at before behind below "
    "beneath beside besides between beyond by down during except for from in inside into like near "
    "of off on onto out outside over per since than through throughout till toward towards under "
    "unlike until up upon versus via vs with within without"
)
_CONJUNCTIONS = "and or but nor so yet if whether because although though while whereas unless"
_QUESTIONS = "what which whose whom when where why how whatever whichever wherever whenever"
_VERBS = "am is are was were be been being has have had having doing done ought 's 're 've 'm 't"
_QUANTITIES = (
    "no none both either neither several many much more most few fewer less least lot lots other "
    "others another same different various certain enough every everything something anything "
    "nothing someone anyone everyone two three four five six seven eight nine ten first second "
    "third fourth fifth sixth seventh eighth ninth tenth st nd rd th last next own number numbers "
    "amount"
)
_ADVERBS = (
    "also again almost already always often sometimes never ever even just only rather quite very "
    "too well still then there here thus hence therefore however moreover furthermore otherwise "
    "instead now later once twice together far away perhaps maybe else indeed further likewise "
    "nevertheless nonetheless meanwhile respect addition"
)
_PUBLISHING = (
    "et al ibid fig figs eq eqs proc pp vol eds ed ref refs sec ch www http https com org html "
    "pdf doi isbn publishing press permissions descriptors appendix supplementary copyright "
    "university department acm ieee aamas conference conf intl jt annual symp res international "
    "symposium journal proceedings transactions lemma theorem proposition corollary january "
    "february march april may june july august september october november december"
)
_GENERAL = (
    "able based called common current due entire following given good better best great high "
    "higher highest important interesting known large larger largest long low lower main major "
    "necessary new novel particular possible previous recent related resulting significant similar "
    "simple single small smaller smallest specific whole used using obtained proposed described "
    "shown corresponding existing considered presented observed total overall additional available "
    "appropriate useful likely unlikely difficult easy early earlier full original present actual "
    "multiple above mentioned typical usual wide kind kinds sort type types way ways future "
    "experimental case cases example examples instance instances thing things fact result results "
    "paper section figure table work approach part parts end lack use order terms term set sets"
)

DETERMINERS = frozenset(_DETERMINERS.split())
"""Words that follow a verb or a preposition more often than a noun."""

VERB_LEADS = frozenset(_VERB_LEADS.split())
"""Words that precede a verb more often than a noun."""

NOUN_LEADS = DETERMINERS.union(_NOUN_LEADS.split())
"""Words that precede a noun, or the adjective before a noun."""

CONNECTORS = frozenset({"of", "the"})
"""Stop words allowed inside a term, "the" only after "of"."""

STOP_WORDS = DETERMINERS.union(
    VERB_LEADS,
    _PRONOUNS.split(),
    _PREPOSITIONS.split(),
    _CONJUNCTIONS.split(),
    _QUESTIONS.split(),
    _VERBS.split(),
    _QUANTITIES.split(),
    _ADVERBS.split(),
    _PUBLISHING.split(),
)
"""Function words, quantities and publishers' words: no term begins or ends with one."""

GENERAL_WORDS = frozenset(_GENERAL.split())
"""Words of any subject: no term begins with one, and none alone is a term."""
