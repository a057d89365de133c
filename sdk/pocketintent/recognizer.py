"""The front door: a text in, a :class:`Match` out."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from pocketintent.runtime.arguments import check_choice, check_count, check_flag, check_range
from pocketintent.runtime.decision.bot import build_bot
from pocketintent.runtime.decision.registry import DECISIONS, DEFAULT_DECISION, Decision
from pocketintent.runtime.decision.results import Candidate, Match
from pocketintent.runtime.decision.scoring import Scorer
from pocketintent.runtime.editing import CopiedTemplates, edit_bot
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.index.building import Search
from pocketintent.runtime.index.indexed_templates import IndexedTemplates
from pocketintent.runtime.native.bot import AnyBot, NativeBot, numpy_bot
from pocketintent.runtime.opening import Backend, open_bot, save_by_suffix
from pocketintent.runtime.templates.files import TemplateSource, load_templates
from pocketintent.runtime.templates.template_set import TemplateSet

if TYPE_CHECKING:
    from pocketintent.runtime.decision.explain import Explanation


class IntentRecognizer:
    """Recognises the intent of a text from a few templates of each intent.

    A text may be any string, even an empty or hostile one; anything else is a TypeError. Any number
    of threads may match while one or more edit. A recogniser can be copied and pickled; an edit of
    a copy leaves the original as it is. A pickle contains the model, or the path of an exported
    folder, and can be read by the same version of the package only.

    Args:
        encoder: The model.
        templates: A template file, the name of a shipped set, a mapping, or a set.
        decision: How an intent is scored. ``"logistic"``: by the probability that a classifier
            fitted on the templates gives it. ``"nearest"``: by the similarity to its nearest
            template; ``"nearest+centroid"``: by the mean of that and the similarity to the mean of
            its templates.
        search: ``"table"`` keeps the templates as codes; ``"exact"`` as float vectors.
        correct: Whether an unknown word of a text is read as the known word within one typing
            error of it; see :class:`pocketintent.runtime.text.correction.Corrector`.

    Raises:
        TypeError: ``encoder`` is the name of a model.
        TemplateError: The templates cannot be read.
        PocketIntentError: ``decision`` or ``search`` is unknown, or ``correct`` is not a bool.
    """

    # No other attribute can be set: `recognizer.treshold = 0.4` is an AttributeError.
    __slots__ = ("__weakref__", "_bot", "_lock")

    def __init__(
        self,
        encoder: Encoder,
        templates: TemplateSource,
        *,
        decision: Decision = DEFAULT_DECISION,
        search: Search = "table",
        correct: bool = True,
    ) -> None:
        if isinstance(encoder, str | os.PathLike):
            raise TypeError(
                f"encoder must be a model that is open, not {encoder!r}: "
                "IntentRecognizer.load(templates, model) opens one by its name"
            )
        check_choice("decision", decision, DECISIONS)
        check_choice("search", search, get_args(Search))
        check_flag("correct", correct)
        # An edit makes a new bot beside the old one and swaps it in, so that readers need no lock.
        self._bot: AnyBot = build_bot(encoder, load_templates(templates), decision, search, correct)
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        intents = self._bot.templates.intents
        templates = sum(len(intent.templates) for intent in intents.values())
        return (
            f"<IntentRecognizer: {len(intents)} intents, {templates} templates, "
            f"decision {self.decision}, search {self.search}, {self.encoder!r}>"
        )

    @classmethod
    def from_bot(cls, bot: AnyBot) -> IntentRecognizer:
        """The recogniser of an open bot; nothing is encoded or fitted."""
        recognizer = cls.__new__(cls)
        recognizer.__setstate__({"_bot": bot})
        return recognizer

    def __getstate__(self) -> dict[str, Any]:
        # A copy has a lock of its own; a class that extends this one has attributes too.
        return {**getattr(self, "__dict__", {}), "_bot": self._bot}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self._lock = threading.Lock()

    @classmethod
    def load(
        cls,
        templates: TemplateSource | None = None,
        model: str | os.PathLike[str] | None = None,
        *,
        decision: Decision | None = None,
        search: Search | None = None,
        correct: bool | None = None,
        backend: Backend = "auto",
    ) -> IntentRecognizer:
        """Open a recogniser.

        Args:
            templates: A template file, the name of a shipped set, a mapping, or a set; None for
                the templates of an exported folder. Or a bot file, made by ``pocketintent build``
                or :meth:`save`, which is opened without encoding or fitting anything again.
            model: A model file or the name of a shipped model; None for the default model or the
                model of a bot file. The backends ``"onnxruntime"`` and ``"tflite"`` need a folder
                made by ``pocketintent export``.
            decision: See the class; None for that of an exported folder or a bot file, otherwise
                ``"logistic"``. A bot file is fitted again for another decision.
            search: See the class; None for that of a bot file, otherwise ``"table"``. The
                templates of a bot file are encoded again for another search.
            correct: See the class; None for the choice of a folder or a bot file, otherwise True.
            backend: What matches. ``"native"``: the core in C, by the package pocketintent-native,
                which runs the kinds static, contextual, transformer, charemb and combined; edits
                and ``explain`` are NumPy's. ``"numpy"``: this package. ``"auto"``: the core where
                it is installed and runs the model, of at most 64 MB if the templates come with it,
                otherwise NumPy.
                ``"onnxruntime"`` and ``"tflite"``, which are extras: an exported graph computes
                the sentence vectors, and NumPy does the rest.

        Warns:
            PocketIntentWarning: The model does not speak the language of the templates.

        Raises:
            ModelFileError: The model cannot be used, or not with this backend.
            MissingExtraError: The backend is not installed, or has another version.
            TemplateError: The templates cannot be used.
            PocketIntentError: There are no templates, an argument has no allowed value, or a bot
                file is given with a model or a backend of exported graphs, or ``"native"`` cannot
                run the model.
        """
        return cls.from_bot(open_bot(templates, model, decision, search, correct, backend))

    def match(self, text: str) -> Match:
        """Recognise the intent of a text: None in the match when no intent is near enough."""
        return self._bot.match(text)

    def match_batch(self, texts: Iterable[str]) -> list[Match]:
        """Recognise the intents of several texts, faster per text than :meth:`match`.

        All texts are matched against the templates as they are when the call begins, in blocks, so
        that memory does not grow with their number. Intents, templates and reasons are those of
        :meth:`match`; scores are equal up to rounding, which depends on the size of the block. A
        single string as ``texts`` is a TypeError.
        """
        if isinstance(texts, str):
            raise TypeError("match_batch takes a list of texts; match takes one text")
        return self._bot.match_batch(texts)

    def rank(self, text: str, limit: int = 5) -> list[Candidate]:
        """Rank the intents of a text, without regard to thresholds.

        At most ``limit`` of them, in descending order of score; none if the encoder knows nothing
        in the text.

        Raises:
            PocketIntentError: ``limit`` is not a whole number from 1.
        """
        check_count("limit", limit)
        return self._bot.rank(text, limit)

    def read(self, text: str) -> str:
        """The text as it is matched: itself, or its tokens, corrected and separated by spaces."""
        return self._bot.read(text)

    def explain(self, text: str, intent: str | None = None) -> Explanation:
        """Match a text and show how much each of its words contributes to a score.

        Args:
            text: The text.
            intent: The intent whose score is explained, for example to see why it was not chosen;
                None for the nearest.

        Raises:
            PocketIntentError: There is no such intent with a word that the model knows.
        """
        from pocketintent.runtime.decision.explain import explain_text

        return explain_text(numpy_bot(self._bot), text, intent)

    def add_intent(
        self,
        name: str,
        templates: Iterable[str],
        threshold: float | None = None,
        counter_examples: Iterable[str] = (),
    ) -> None:
        """Add an intent, or give an existing intent templates, counter-examples or a threshold.

        Args:
            name: The intent.
            templates: Its templates, at least one; an existing intent may get the others alone.
            threshold: A threshold for this intent alone; None keeps the current one.
            counter_examples: Texts that resemble the intent and do not express it.

        Raises:
            TemplateError: A name, text or threshold breaks the format; nothing changes.
        """
        with self._lock:
            edited = deepcopy(self._bot.templates)
            edited.add_intent(name, templates, threshold, counter_examples)
            self._bot = edit_bot(self._bot, edited)

    def remove_intent(self, name: str) -> None:
        """Remove an intent and its templates; TemplateError if there is no such intent."""
        with self._lock:
            edited = deepcopy(self._bot.templates)
            edited.remove_intent(name)
            self._bot = edit_bot(self._bot, edited)

    @property
    def templates(self) -> TemplateSet:
        """A copy of the template set, with its thresholds and margin.

        It can be set, to a changed copy or anything that :meth:`load` takes as templates: intents
        that stay as they were are not encoded again, and the classifier starts from the old
        weights. TemplateError if a set breaks the format, or from the copy's own ``add_intent`` and
        ``remove_intent``, which would change the copy alone; ``copy.deepcopy`` of it has both.
        """
        return CopiedTemplates(**vars(deepcopy(self._bot.templates)))

    @templates.setter
    def templates(self, value: TemplateSource) -> None:
        checked = load_templates(value)
        with self._lock:
            self._bot = edit_bot(self._bot, checked)

    @property
    def threshold(self) -> float:
        """Lowest score for intents without their own; PocketIntentError if set beyond -1..1."""
        return self._bot.templates.threshold

    @threshold.setter
    def threshold(self, value: float) -> None:
        check_range("threshold", value, -1.0, 1.0)
        with self._lock:
            self._bot = edit_bot(self._bot, replace(self._bot.templates, threshold=float(value)))

    @property
    def margin(self) -> float:
        """Smallest lead over the runner-up, 0 for none; PocketIntentError if set beyond 0..2."""
        return self._bot.templates.margin

    @margin.setter
    def margin(self, value: float) -> None:
        check_range("margin", value, 0.0, 2.0)
        with self._lock:
            self._bot = edit_bot(self._bot, replace(self._bot.templates, margin=float(value)))

    @property
    def intents(self) -> tuple[str, ...]:
        """The names of the intents, in the order of the template set."""
        return tuple(self._bot.templates.intents)

    @property
    def backend(self) -> Backend:
        """What matches, ``"native"`` or ``"numpy"``; exported graphs count as ``"numpy"``."""
        return "native" if isinstance(self._bot, NativeBot) else "numpy"

    @property
    def encoder(self) -> Encoder:
        """The model."""
        return numpy_bot(self._bot).encoder

    @property
    def decision(self) -> Decision:
        """How an intent is scored; :meth:`load` chooses it."""
        return numpy_bot(self._bot).decision

    @property
    def search(self) -> Search:
        """How the templates are kept; :meth:`load` chooses it."""
        return numpy_bot(self._bot).search

    @property
    def correct(self) -> bool:
        """Whether typing errors of a text are corrected; :meth:`load` chooses it."""
        return numpy_bot(self._bot).correct

    @property
    def indexed(self) -> IndexedTemplates:
        """The index of the current templates; an edit makes a new one."""
        return numpy_bot(self._bot).indexed

    @property
    def scorer(self) -> Scorer | None:
        """What scores the intents; an edit makes a new one. None without templates."""
        return numpy_bot(self._bot).scorer

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the templates with thresholds and margin, or the whole recogniser.

        Args:
            path: The file to write or replace. A name that ends in ``.json`` makes it a template
                file; one in ``.safetensors`` a bot file, with model, index and fitted decision.

        Raises:
            PocketIntentError: It is no path, the name ends in anything else, or a bot file is asked
                of a recogniser that runs an exported graph.
            OSError: The file cannot be written; an old file is then unchanged.
        """
        save_by_suffix(path, self._bot)
